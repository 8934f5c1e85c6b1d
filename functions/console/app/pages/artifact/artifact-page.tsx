import { type Artifact, artifact as artifactOperation, assertion } from '../../client/flows.ts';
import { useAnswer, useLiveAnswer } from '../../client/live.ts';
import { read } from '../../client/query-client.ts';
import { artifactSentence } from '../../model/artifact.ts';
import { stateOfWord } from '../../model/states.ts';
import { Empty } from '../../parts/empty.tsx';
import { Id } from '../../parts/id.tsx';
import { KeyValues } from '../../parts/key-values.tsx';
import { OutLink, PageLink } from '../../parts/link.tsx';
import { Panel } from '../../parts/panel.tsx';
import { Raw } from '../../parts/raw.tsx';
import { State } from '../../parts/state.tsx';
import { Table } from '../../parts/table.tsx';
import { Text } from '../../parts/text.tsx';
import { Time } from '../../parts/time.tsx';
import { VerdictLine } from '../../parts/verdict-line.tsx';
import type { PageProps } from '../route.ts';
import type { artifactRoute } from './route.ts';

/** The page of an artifact: its verdict, its evidence, and where it runs. */
export default function ArtifactPage({ params }: PageProps<typeof artifactRoute>) {
  const { org, flow } = params;
  const artifact = useLiveAnswer(read(artifactOperation, params), 10);
  return (
    <>
      <VerdictLine
        kind="Artifact"
        subject={artifact.filename || artifact.template_reference_name}
        context={flow}
        state={stateOfWord(artifact.state)}
        sentence={<Text>{artifactSentence(artifact)}</Text>}
        facts={[
          <Id key="fingerprint" what="fingerprint">
            {artifact.fingerprint}
          </Id>,
          <PageLink key="trail" page="trail" params={{ org, flow, trail: artifact.trail_name }}>
            trail <Text>{artifact.trail_name}</Text>
          </PageLink>,
          <span key="reported">
            reported <Time at={artifact.created_at} /> by <Text>{artifact.created_by}</Text>
          </span>,
        ]}
      />
      <Panel title="Evidence" note="of this artifact in its latest trail">
        <Evidence org={org} flow={flow} fingerprint={artifact.fingerprint} trail={artifact.trail_name} />
      </Panel>
      <Panel title="Where it runs">
        <Presences artifact={artifact} org={org} />
      </Panel>
      <Panel title="Origin">
        <KeyValues
          rows={[
            ['Build', artifact.build_url && <OutLink href={artifact.build_url} />],
            ['Commit', artifact.git_commit && <Id what="commit">{artifact.git_commit}</Id>],
            ['Commit page', artifact.commit_url && <OutLink href={artifact.commit_url} />],
            ['Repository', artifact.repo_url && <OutLink href={artifact.repo_url} />],
            ['Description', artifact.description && <Text lines>{artifact.description}</Text>],
          ]}
        />
      </Panel>
      <Raw value={artifact} path={`/artifacts/${org}/${flow}/fingerprint/${artifact.fingerprint}`} />
    </>
  );
}

function Evidence({
  org,
  flow,
  fingerprint,
  trail,
}: {
  org: string;
  flow: string;
  fingerprint: string;
  trail: string;
}) {
  const { flows } = useAnswer(read(assertion, { org, fingerprint }, { flow_name: flow }));
  const slots = flows.flatMap(({ compliance_status: status }) => status.attestations_statuses);
  if (slots.length === 0)
    return <Empty sentence="The template asks for nothing of this artifact, and nobody reported any." />;
  return (
    <Table
      caption="Evidence of the artifact"
      rows={slots}
      keyOf={({ attestation_name: name, attestation_type: type, status }) => `${name} ${type} ${status}`}
      columns={[
        {
          head: 'Attestation',
          cell: ({ attestation_name: name, attestation_id: id }) =>
            id === null ? (
              <Text>{name}</Text>
            ) : (
              <PageLink page="trail" params={{ org, flow, trail }} search={{ attestation_id: id }} strong row>
                <Text>{name}</Text>
              </PageLink>
            ),
        },
        {
          head: 'State',
          fit: true,
          cell: ({ status, is_compliant: compliant, overridden_attestation_id: overridden }) => (
            <State
              state={
                status === 'MISSING'
                  ? 'missing'
                  : compliant === false
                    ? 'non-compliant'
                    : overridden === null
                      ? 'compliant'
                      : 'overridden'
              }
            />
          ),
        },
        { head: 'Type', cell: ({ attestation_type: type }) => <Text>{type === '*' ? 'any' : type}</Text> },
      ]}
    />
  );
}

function Presences({ artifact, org }: { artifact: Artifact; org: string }) {
  const rows = [
    ...artifact.running.map((presence) => ({ ...presence, runs: true })),
    ...artifact.exited.map((presence) => ({ ...presence, runs: false })),
  ];
  if (rows.length === 0) return <Empty sentence="No environment has reported this artifact." />;
  return (
    <Table
      caption="Environments that reported the artifact"
      rows={rows}
      keyOf={({ environment_name: name, snapshot_index: index, runs }) => `${name} ${index} ${runs}`}
      columns={[
        {
          head: 'Environment',
          cell: ({ environment_name: env }) => (
            <PageLink page="environment" params={{ org, env }} strong row>
              <Text>{env}</Text>
            </PageLink>
          ),
        },
        { head: 'Now', cell: ({ runs }) => (runs ? 'runs' : 'left') },
        {
          head: 'Snapshot',
          fit: true,
          cell: ({ environment_name: env, snapshot_index: index }) => (
            <PageLink page="snapshot" params={{ org, env, expression: String(index) }}>
              #{index}
            </PageLink>
          ),
        },
      ]}
    />
  );
}
