import type { VNode } from 'preact';
import { render } from 'preact-render-to-string';
import type { Letter, LetterPart } from './letter.js';

const FONT = 'font: 16px/1.5 system-ui, -apple-system, "Segoe UI", sans-serif';

/**
 * Renders an email as HTML. Styles are inline, because mail programs remove style sheets. Preact escapes every text.
 */
export function letterHtml({ subject, parts }: Letter): string {
  return `<!doctype html>${render(
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="color-scheme" content="light dark" />
        <title>{subject}</title>
      </head>
      <body style={`${FONT}; margin: 0; padding: 24px`}>
        <div style="max-width: 560px; margin: 0 auto; overflow-wrap: anywhere">{parts.map(partView)}</div>
      </body>
    </html>,
  )}`;
}

function partView(part: LetterPart): VNode {
  switch (part.kind) {
    case 'text':
      return <p>{part.text}</p>;
    case 'heading':
      return <h2 style="font-size: 18px">{part.text}</h2>;
    case 'small':
      return (
        <p style="font-size: 13px; opacity: 0.75">
          {part.text}
          {part.links?.map(({ label, url }) => (
            <>
              <br />
              <a href={url} style="color: inherit">
                {label}
              </a>
            </>
          ))}
        </p>
      );
    case 'code':
      return <p style="font: 28px ui-monospace, monospace; letter-spacing: 0.1em">{part.text}</p>;
    case 'action':
      return (
        <p>
          <a
            href={part.url}
            style="display: inline-block; padding: 10px 18px; border-radius: 6px; background: #3451b2; color: #fff; text-decoration: none"
          >
            {part.label}
          </a>
        </p>
      );
    case 'list':
      return (
        <ul>
          {part.items.map(({ text, url }) => (
            <li>{url === undefined ? text : <a href={url}>{text}</a>}</li>
          ))}
        </ul>
      );
  }
}
