import { changeText, diffLines, nearChanges } from '../model/diff.ts';
import { Icon } from '../parts/control/icons.tsx';
import { PageLink } from '../parts/link/link.tsx';
import { KeyValues } from '../parts/page/key-values.tsx';
import { Diff } from '../parts/text/diff.tsx';
import { Id } from '../parts/text/id.tsx';
import { Text } from '../parts/text/text.tsx';
import { Time } from '../parts/text/time.tsx';
import { LogProof } from '../proof/log-proof.tsx';
import styles from './audit.module.css';
import { changedFields, verbOf, words } from './model/audit.ts';
import type { AuditEntry } from './operations.ts';

interface EntryProps {
  org: string;
  entry: AuditEntry;
  /** The filters of the page, which the link to all changes of the actor keeps. */
  filters: Readonly<Record<string, string | number | undefined>>;
}

/** One change. It unfolds to what was before and after it. */
export function Entry({ org, entry, filters }: EntryProps) {
  const { id, at, actor, kind, subject, unreadable } = entry;
  if (unreadable) {
    return (
      <li className={styles['broken']}>
        <Time at={at} /> <s>{id}</s> This entry cannot be read.
      </li>
    );
  }
  return (
    <li>
      <details>
        <summary className={styles['line']} data-row="">
          <Icon name="next" />
          <span className={styles['when']}>
            <Time at={at} />
          </span>
          <span className={styles['what']}>
            <span className={styles['quiet']}>{words(subject.type)}</span> <Text>{subject.name}</Text>{' '}
            <strong>{verbOf(kind)}</strong>
          </span>
          <span className={styles['who']}>
            <Text>{actor.name}</Text>
          </span>
        </summary>
        <div className={styles['details']}>
          <Changes entry={entry} />
          <KeyValues
            rows={[
              ['When', <Time key="at" at={at} show="full" />],
              [
                'By',
                <span key="by">
                  {actor.kind === 'service-account' ? (
                    <PageLink page="service-account" params={{ org, account: actor.name }}>
                      <Text>{actor.name}</Text>
                    </PageLink>
                  ) : (
                    <Text>{actor.name}</Text>
                  )}{' '}
                  <span className={styles['quiet']}>({words(actor.kind).replace('-', ' ')})</span>{' '}
                  <PageLink page="audit" params={{ org }} search={{ ...filters, actor: actor.name }}>
                    all changes by this caller
                  </PageLink>
                </span>,
              ],
              [
                'With key',
                actor.key_id !== null && (
                  <Id key="key" what="key id">
                    {actor.key_id}
                  </Id>
                ),
              ],
              [
                'Hash',
                entry.hash !== null && (
                  <Id key="hash" what="hash of the entry">
                    {entry.hash}
                  </Id>
                ),
              ],
              [
                'Entry',
                <Id key="id" what="id of the entry">
                  {id}
                </Id>,
              ],
            ]}
          />
          <LogProof record={{ kind: 'audit', org, entry }} />
        </div>
      </details>
    </li>
  );
}

function Changes({ entry: { before, after, erased } }: { entry: AuditEntry }) {
  if (erased) return <p>The text of this change was erased. Its place in the log remains.</p>;
  const fields = changedFields(before, after);
  if (fields.length === 0) return <p className={styles['quiet']}>The entry names no field with another value.</p>;
  return (
    <div className={styles['changes']}>
      {fields.map(({ field, before: old, after: now }) =>
        (old ?? now ?? '').includes('\n') || (now ?? '').includes('\n') ? (
          <LongChange key={field} field={field} older={old ?? ''} newer={now ?? ''} />
        ) : (
          <p key={field} className={styles['change']}>
            <span className={styles['field']}>{words(field)}</span>
            {old !== null && (
              <span className={now === null ? undefined : styles['old']}>
                <Text>{old === '' ? '(empty)' : old}</Text>
              </span>
            )}
            {old !== null && now !== null && <span aria-hidden="true">→</span>}
            {now !== null && (
              <span className={styles['new']}>
                <Text>{now === '' ? '(empty)' : now}</Text>
              </span>
            )}
          </p>
        ),
      )}
    </div>
  );
}

function LongChange({ field, older, newer }: { field: string; older: string; newer: string }) {
  const lines = diffLines(older, newer);
  return <Diff caption={`${words(field)}: ${changeText(lines)}`} lines={nearChanges(lines)} />;
}
