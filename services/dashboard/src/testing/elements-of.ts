/** What a page is made of without its texts: elements, and the names of their attributes. */
export function elementsOf(html: string): string[] {
  return (
    [...html.matchAll(/<([a-z][^\s>]*)((?:\s[a-zA-Z-]+(?:="[^"]*")?)*)\s*\/?>/g)]
      .map(([, name, attributes = '']) => `${name}${attributes.replaceAll(/="[^"]*"/g, '')}`)
      // Words that differ are marked one by one.
      .filter((element) => !/^(?:ins|del)$/.test(element))
  );
}
