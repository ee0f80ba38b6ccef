import type { Letter, LetterPart } from './letter.js';

/** The same as plain text, for programs and people that read no HTML. */
export function letterText({ parts }: Letter): string {
  return `${parts.map(partText).join('\n\n')}\n`;
}

function partText(part: LetterPart): string {
  switch (part.kind) {
    case 'text':
    case 'small':
      return part.text;
    case 'heading':
      return part.text.toUpperCase();
    case 'code':
      return `    ${part.text}`;
    case 'action':
      return `${part.label}: ${part.url}`;
    case 'list':
      return part.items.map(({ text, url }) => (url === undefined ? `- ${text}` : `- ${text}\n  ${url}`)).join('\n');
  }
}
