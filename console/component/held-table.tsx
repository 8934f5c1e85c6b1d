import { stateOfVerdict } from '../model/states.ts';
import { PageLink } from '../parts/link/link.tsx';
import { LongTable } from '../parts/table/long-table.tsx';
import { Tags } from '../parts/tags/tags.tsx';
import { StateMark } from '../parts/text/state.tsx';
import { Text } from '../parts/text/text.tsx';
import { Time } from '../parts/text/time.tsx';
import type { ExposedArtifact, Where } from './operations.ts';
import { ArtifactLink, SbomLink, Versions } from './sbom-cells.tsx';
import { Statements } from './statements.tsx';

interface HeldTableProps {
  org: string;
  rows: readonly ExposedArtifact[];
  caption: string;
}

/** Artifacts that hold the component, each by one SBOM of it, with the environments in which they run and ran. */
export const HeldTable = ({ org, rows, caption }: HeldTableProps) => (
  <LongTable
    caption={caption}
    rows={rows}
    keyOf={({ attestation_id: id, artifact }) => `${id} ${artifact.fingerprint}`}
    columns={[
      {
        head: 'Artifact',
        width: '22%',
        cell: ({ flow_name: flow, artifact }) => <ArtifactLink org={org} flow={flow} artifact={artifact} />,
      },
      {
        head: 'Version',
        width: '18%',
        cell: ({ components, statements }) => (
          <>
            <Versions held={components} />
            <Statements org={org} said={statements} />
          </>
        ),
      },
      {
        head: 'Where',
        width: '34%',
        cell: ({ environments }) =>
          environments.length === 0
            ? 'never ran'
            : environments.map((where) => <Environment key={where.environment} org={org} where={where} />),
      },
      { head: 'SBOM', width: '26%', cell: (row) => <SbomLink org={org} sbom={row} /> },
    ]}
  />
);

/** `✗ prod: runs since 3 Nov 14:00`, or each time in which it ran. */
const Environment = ({ org, where }: { org: string; where: Where }) => (
  <div>
    <StateMark state={stateOfVerdict(where.compliant)} />{' '}
    <PageLink page="environment" params={{ org, env: where.environment }}>
      <Text>{where.environment}</Text>
    </PageLink>
    {where.runs.map(({ from, from_snapshot: start, to, to_snapshot: end }) => (
      <span key={`${from} ${to}`}>
        {', '}
        {to === null ? 'runs since ' : 'ran from '}
        <At org={org} env={where.environment} at={from} snapshot={start} />
        {to !== null && (
          <>
            {' to '}
            <At org={org} env={where.environment} at={to} snapshot={end} />
          </>
        )}
      </span>
    ))}
    {where.has_earlier && '; earlier runs may be left out'}
    {Object.keys(where.tags).length > 0 && (
      <>
        {' '}
        <Tags tags={where.tags} />
      </>
    )}
  </div>
);

interface AtProps {
  org: string;
  env: string;
  at: number | null;
  /** The snapshot that showed it; null if there is none. */
  snapshot: number | null;
}

const At = ({ org, env, at, snapshot }: AtProps) =>
  snapshot === null ? (
    <Time at={at} never="an unknown time" />
  ) : (
    <PageLink page="snapshot" params={{ org, env, expression: String(snapshot) }}>
      <Time at={at} never={`snapshot #${snapshot}`} />
    </PageLink>
  );
