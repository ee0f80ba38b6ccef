import type { VNode } from 'preact';

interface AuditProps {
  readonly link: (path: string) => string;
  readonly events: ReadonlyArray<{
    readonly at: Date;
    readonly actor: { readonly kind: string; readonly name: string };
    readonly action: string;
    readonly subject: { readonly name: string };
    readonly details: Readonly<Record<string, unknown>>;
  }>;
  /** The cursor of the next page. */
  readonly next: string | undefined;
}

export function auditView({ link, events, next }: AuditProps): VNode {
  return (
    <>
      <h1>Audit</h1>
      {events.length === 0 ? (
        <p>
          Nothing has been recorded yet. Who signs in, and who changes members, keys or destinations, is listed here.
        </p>
      ) : (
        <table class="audit">
          <thead>
            <tr>
              <th scope="col">When</th>
              <th scope="col">Who</th>
              <th scope="col">What</th>
            </tr>
          </thead>
          <tbody>
            {events.map((event) => (
              <tr>
                <td>
                  <time dateTime={event.at.toISOString()}>{event.at.toISOString()}</time>
                </td>
                <td>{event.actor.name}</td>
                <td>{sentenceOf(event)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {next !== undefined && (
        <p>
          <a href={link(`/audit?before=${next}`)}>Earlier</a>
        </p>
      )}
    </>
  );
}

/** `member.role_changed` of ann@label.example, role owner. */
function sentenceOf({ action, subject, details }: AuditProps['events'][number]): string {
  const [noun = '', verb = ''] = action.split('.');
  const extras = Object.entries(details).map(([name, value]) => `, ${name.replaceAll('_', ' ')} ${String(value)}`);
  return `${noun.replaceAll('_', ' ')} ${subject.name}: ${verb.replaceAll('_', ' ')}${extras.join('')}`;
}
