import { Text } from '../text/text.tsx';
import { Time } from '../text/time.tsx';
import { changeOf, type FieldText, type Version } from './model/changes.ts';
import { Table } from './table.tsx';
import styles from './version-table.module.css';

interface VersionTableProps<R> {
  /** What the table holds, for screen readers. */
  caption: string;
  /** The newest first. */
  versions: readonly R[];
  /** The fields that are compared. */
  fields: readonly FieldText<R>[];
}

/** The versions of a record: who changed what. */
export function VersionTable<R extends Version & { changed_at: number; changed_by: string }>({
  caption,
  versions,
  fields,
}: VersionTableProps<R>) {
  const rows = versions.map((version, n) => ({ version, change: changeOf(fields, versions[n + 1], version) }));
  return (
    <Table
      caption={caption}
      rows={rows}
      keyOf={({ version }) => String(version.version)}
      isUnreadable={({ version }) => version.unreadable === true}
      columns={[
        { head: 'Version', fit: true, cell: ({ version: { version } }) => `v${version}` },
        {
          head: 'What changed',
          wide: true,
          cell: ({ change }) =>
            typeof change === 'string' ? (
              change
            ) : (
              <ul className={styles['changes']}>
                {change.map(({ field, before, after }) => (
                  <li key={field}>
                    {field}:{' '}
                    <del>
                      <Text>{before}</Text>
                    </del>{' '}
                    →{' '}
                    <ins>
                      <Text>{after}</Text>
                    </ins>
                  </li>
                ))}
              </ul>
            ),
        },
        { head: 'When', fit: true, cell: ({ version: { changed_at: at } }) => <Time at={at} /> },
        { head: 'By', fit: true, cell: ({ version: { changed_by: by } }) => <Text>{by}</Text> },
      ]}
    />
  );
}
