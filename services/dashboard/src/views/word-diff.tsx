import { diffWordsWithSpace } from 'diff';
import type { VNode } from 'preact';

/** Longer texts are shown whole, side by side, rather than compared for long. */
const MAX_CHARS = 2_000;

/** What became of a text, before and after side by side: words that went, and words that came. */
export function WordDiff({ before, after }: { readonly before: string; readonly after: string }): VNode {
  const isLong = before.length + after.length > MAX_CHARS;
  const parts = isLong
    ? [
        { value: before, removed: true, added: false },
        { value: after, removed: false, added: true },
      ]
    : diffWordsWithSpace(before, after);
  return (
    <div class="word-diff">
      <div>
        <h3>Before</h3>
        <p dir="auto">
          {parts.filter(({ added }) => !added).map(({ value, removed }) => (removed ? <del>{value}</del> : value))}
        </p>
      </div>
      <div>
        <h3>After</h3>
        <p dir="auto">
          {parts.filter(({ removed }) => !removed).map(({ value, added }) => (added ? <ins>{value}</ins> : value))}
        </p>
      </div>
    </div>
  );
}
