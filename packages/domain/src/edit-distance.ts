export function editDistance(from: string, to: string): number {
  let previous = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (const [row, fromChar] of [...from].entries()) {
    const current = [row + 1];
    for (const [column, toChar] of [...to].entries()) {
      const replaced = (previous[column] as number) + (fromChar === toChar ? 0 : 1);
      current.push(Math.min(replaced, (previous[column + 1] as number) + 1, (current[column] as number) + 1));
    }
    previous = current;
  }
  return previous.at(-1) as number;
}
