import type { VNode } from 'preact';

/** What went wrong, and what to do, in a few sentences. */
export function failureView({
  title,
  sentences,
}: {
  readonly title: string;
  readonly sentences: readonly string[];
}): VNode {
  return (
    <section class="failure">
      <h1>{title}</h1>
      {sentences.map((sentence) => (
        <p>{sentence}</p>
      ))}
      <p>
        <a href="/">To the start</a>
      </p>
    </section>
  );
}
