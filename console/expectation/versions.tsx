import { useAnswer } from '../client/live.ts';
import { paginationOf } from '../model/pages.ts';
import { Pager } from '../parts/table/pager.tsx';
import { Table } from '../parts/table/table.tsx';
import { Text } from '../parts/text/text.tsx';
import { Time } from '../parts/text/time.tsx';
import type { ParamsOf } from '../routes/params.ts';
import styles from './expectation.module.css';
import { changeOf } from './model/versions.ts';
import { readVersions } from './routes.ts';

/** The versions of an expectation: who changed what. */
export function Versions({ params, page }: { params: ParamsOf<'expectation'>; page: number | undefined }) {
  const answer = useAnswer(readVersions(params, page));
  const { versions } = answer;
  const rows = versions.map((version, n) => ({ version, change: changeOf(versions[n + 1], version) }));
  return (
    <>
      <Table
        caption="Versions of the expectation"
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
      <Pager pagination={paginationOf(answer)} page="expectation" params={params} />
    </>
  );
}
