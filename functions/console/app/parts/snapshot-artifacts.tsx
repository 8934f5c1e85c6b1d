import type { SnapshotArtifact } from '../model/environment.ts';
import { shortName, stateOfArtifact } from '../model/environment.ts';
import { Id } from './id.tsx';
import { PageLink } from './link.tsx';
import { State } from './state.tsx';
import { Table } from './table.tsx';
import { Text } from './text.tsx';
import { Time } from './time.tsx';

/** The artifacts of a snapshot, each with its verdict and the reason. */
export const SnapshotArtifacts = ({ org, artifacts }: { org: string; artifacts: readonly SnapshotArtifact[] }) => (
  <Table
    caption="Artifacts of the snapshot"
    rows={artifacts}
    keyOf={({ fingerprint, name, environment_name: env }) => `${fingerprint} ${name} ${env}`}
    columns={[
      {
        head: 'Artifact',
        cell: ({ name, fingerprint, flow_name: flow }) => (
          <>
            {flow === null ? (
              <Text>{shortName(name)}</Text>
            ) : (
              <PageLink page="artifact" params={{ org, flow, fingerprint }} strong row title={name}>
                <Text>{shortName(name)}</Text>
              </PageLink>
            )}{' '}
            <Id what="fingerprint" short plain>
              {fingerprint}
            </Id>
          </>
        ),
      },
      { head: 'State', fit: true, cell: (artifact) => <State state={stateOfArtifact(artifact)} /> },
      {
        head: 'Reason',
        wide: true,
        cell: ({ reasons_for_incompliance: reasons, flow_name: flow }) =>
          reasons.length > 0 ? (
            <Text lines>{reasons.join('\n')}</Text>
          ) : flow === null ? (
            'nobody reported a build of it'
          ) : (
            ''
          ),
      },
      {
        head: 'Trail',
        cell: ({ flows }) =>
          flows.map(({ flow_name: flow, trail_name: trail }) => (
            <PageLink key={flow} page="trail" params={{ org, flow, trail }}>
              <Text>{trail}</Text>
            </PageLink>
          )),
      },
      { head: 'Replicas', fit: true, align: 'end', cell: ({ annotation }) => annotation.now },
      { head: 'Since', fit: true, cell: ({ creationTimestamp: [first] }) => <Time at={first} /> },
    ]}
  />
);
