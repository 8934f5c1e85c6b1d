import { useAnswer } from '../../client/live.ts';
import { usePreferences } from '../../client/preferences.ts';
import { type StateName, stateOfVerdict } from '../../model/states.ts';
import { PageLink } from '../../parts/link/link.tsx';
import { Empty } from '../../parts/page/empty.tsx';
import { Table } from '../../parts/table/table.tsx';
import { State } from '../../parts/text/state.tsx';
import { Text } from '../../parts/text/text.tsx';
import type { ParamsOf } from '../../routes/params.ts';
import { type Override, overrideText } from '../../trail/model/override.ts';
import { type EvidenceRow, evidenceOf, otherFlows } from '../model/artifact-evidence.ts';
import { readTrails, readVerdicts } from '../routes.ts';
import styles from './artifact.module.css';

interface EvidenceProps {
  params: ParamsOf<'artifact'>;
  /** The trail of the latest report. */
  trail: string;
}

/** What the template asks of the artifact and of its trail, and in which other flows and trails it was reported. */
export function Evidence({ params, trail }: EvidenceProps) {
  const { org, flow, fingerprint } = params;
  const trails = useAnswer(readTrails(params)).data;
  const { overrides } = useAnswer(readVerdicts(params));
  const found = trails.find(({ name }) => name === trail);
  const rows = found ? evidenceOf(found, fingerprint) : [];
  const others = trails.filter(({ name }) => name !== trail);
  return (
    <div className={styles['stack']}>
      {rows.length === 0 ? (
        <Empty sentence="The template asks for nothing of this artifact, and nobody reported any." />
      ) : (
        <EvidenceTable
          rows={rows}
          place={{ org, flow, trail }}
          overrides={new Map(overrides.map((one) => [one.attestation_id, one]))}
        />
      )}
      {others.length > 0 && (
        <p className={styles['line']}>
          <span className={styles['quiet']}>Also in trails</span>
          {others.map(({ name }) => (
            <PageLink key={name} page="trail" params={{ org, flow, trail: name }}>
              <Text>{name}</Text>
            </PageLink>
          ))}
        </p>
      )}
      <OtherFlows params={params} />
    </div>
  );
}

interface EvidenceTableProps {
  rows: readonly EvidenceRow[];
  place: ParamsOf<'trail'>;
  /** By id of the attestation. */
  overrides: ReadonlyMap<string, Override>;
}

const EvidenceTable = ({ rows, place, overrides }: EvidenceTableProps) => (
  <Table
    caption="Evidence of the artifact"
    rows={rows}
    keyOf={({ key }) => key}
    columns={[
      {
        head: 'Attestation',
        cell: ({ name, attestation }) => (
          <PageLink
            page="trail"
            params={place}
            search={attestation === null ? {} : { attestation_id: attestation }}
            strong
            row
          >
            <Text>{name}</Text>
          </PageLink>
        ),
      },
      {
        head: 'State',
        cell: ({ state, attestation }) => <EvidenceState state={state} override={overrides.get(attestation ?? '')} />,
      },
      {
        head: 'Seal',
        fit: true,
        cell: ({ seals, attestation }) =>
          seals.length > 0
            ? seals.map((seal) => <State key={seal} state={seal} />)
            : attestation !== null && <State state="stated" />,
      },
      { head: 'About', fit: true, cell: ({ ofTrail }) => (ofTrail ? 'the trail' : 'the artifact') },
      {
        head: 'Type',
        cell: ({ type, unexpected }) => (
          <>
            <Text>{type === '*' ? 'any' : type}</Text>
            {unexpected && <span className={styles['quiet']}>, not asked for</span>}
          </>
        ),
      },
    ]}
  />
);

/** The state, and below it who made it what it is. */
function EvidenceState({ state, override }: { state: StateName; override: Override | undefined }) {
  const { zone } = usePreferences();
  return (
    <>
      <State state={state} />
      {override && (
        <p className={styles['quiet']}>
          <Text>{overrideText(override, zone)}</Text>
        </p>
      )}
    </>
  );
}

function OtherFlows({ params }: { params: ParamsOf<'artifact'> }) {
  const { org, flow, fingerprint } = params;
  const others = otherFlows(useAnswer(readVerdicts(params)), flow);
  if (others.length === 0) return null;
  return (
    <p className={styles['line']}>
      <span className={styles['quiet']}>Also in flows</span>
      {others.map((one) => (
        <span key={one.flow}>
          <PageLink page="artifact" params={{ org, flow: one.flow, fingerprint }}>
            <Text>{one.flow}</Text>
          </PageLink>{' '}
          <State state={stateOfVerdict(one.compliant)} />
        </span>
      ))}
    </p>
  );
}
