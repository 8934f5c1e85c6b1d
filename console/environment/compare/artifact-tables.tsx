import { OutLink, PageLink } from '../../parts/link/link.tsx';
import { LongTable } from '../../parts/table/long-table.tsx';
import { Table } from '../../parts/table/table.tsx';
import { Text } from '../../parts/text/text.tsx';
import { ArtifactName } from '../../release/artifact-name.tsx';
import { type Changed, commitLabel, type Side } from '../model/comparison.ts';
import styles from './compare.module.css';

const Artifact = ({ org, side: { name, fingerprint, flow } }: { org: string; side: Side }) => (
  <ArtifactName org={org} name={name} fingerprint={fingerprint} flow={flow} />
);

const Flow = ({ org, side: { flow } }: { org: string; side: Side }) =>
  flow === null ? (
    'nobody reported a build of it'
  ) : (
    <PageLink page="flow" params={{ org, flow }}>
      <Text>{flow}</Text>
    </PageLink>
  );

const Commit = ({ side: { commitUrl } }: { side: Side }) =>
  commitUrl === null ? '–' : <OutLink href={commitUrl}>{commitLabel(commitUrl)}</OutLink>;

/** Artifacts on one side, or the same ones on both. */
export function SideTable({ org, rows, caption }: { org: string; rows: readonly Side[]; caption: string }) {
  const columns = [
    { head: 'Artifact', width: '40%', cell: (side: Side) => <Artifact org={org} side={side} /> },
    { head: 'Flow', width: '24%', cell: (side: Side) => <Flow org={org} side={side} /> },
    { head: 'Commit', width: '24%', fit: true, cell: (side: Side) => <Commit side={side} /> },
    {
      head: 'Instances',
      width: '7rem',
      fit: true,
      align: 'end' as const,
      cell: ({ instances }: Side) => instances.toLocaleString('en'),
    },
  ];
  return (
    <LongTable
      caption={caption}
      rows={rows}
      columns={columns}
      keyOf={({ fingerprint, name }) => `${fingerprint} ${name}`}
    />
  );
}

interface ChangedTableProps {
  org: string;
  rows: readonly Changed[];
  one: string;
  other: string;
  /** What the page compares, as its address has it. */
  sides: { a: string; b: string };
}

/** Versions side by side, with the commits that they were built from. */
export const ChangedTable = ({ org, rows, one, other, sides }: ChangedTableProps) => (
  <Table
    caption="Changed artifacts"
    rows={rows.map((row, n) => ({ ...row, key: `${n} ${row.name}` }))}
    keyOf={({ key }) => key}
    columns={[
      { head: one, isSide: true, cell: ({ before }) => <Artifact org={org} side={before} /> },
      { head: other, cell: ({ after }) => <Artifact org={org} side={after} /> },
      { head: 'Flow', cell: ({ after }) => <Flow org={org} side={after} /> },
      {
        head: 'Commits',
        cell: ({ before, after }) =>
          before.commitUrl === after.commitUrl ? (
            <Commit side={after} />
          ) : (
            <span className={styles['pair']}>
              <Commit side={before} /> → <Commit side={after} />
            </span>
          ),
      },
      {
        head: 'Components',
        fit: true,
        cell: ({ before: { fingerprint: from }, after: { fingerprint: to } }) =>
          from === to || from === '' || to === '' ? (
            '–'
          ) : (
            <PageLink page="compare" params={{ org }} search={{ ...sides, from, to }} keepPlace>
              compare
            </PageLink>
          ),
      },
      {
        head: 'Instances',
        fit: true,
        align: 'end',
        cell: ({ before, after }) =>
          before.instances === after.instances ? after.instances : `${before.instances} → ${after.instances}`,
      },
    ]}
  />
);
