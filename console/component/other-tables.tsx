import { stateOfVerdict } from '../model/states.ts';
import { PageLink } from '../parts/link/link.tsx';
import { LongTable } from '../parts/table/long-table.tsx';
import { Tags } from '../parts/tags/tags.tsx';
import { State, StateMark } from '../parts/text/state.tsx';
import { Text } from '../parts/text/text.tsx';
import { Time } from '../parts/text/time.tsx';
import { ArtifactName } from '../release/artifact-name.tsx';
import { kindText } from './model/exposure.ts';
import type { RecalledSbom, UnknownArtifact } from './operations.ts';
import { SbomLink, Versions } from './sbom-cells.tsx';

interface TableProps<R> {
  org: string;
  rows: readonly R[];
}

/** Artifacts that run, and of which nobody knows what they hold. */
export const UnknownTable = ({ org, rows }: TableProps<UnknownArtifact>) => (
  <LongTable
    caption="Artifacts that run without a readable SBOM"
    rows={rows}
    keyOf={({ environment, name, fingerprint, kind }) => `${environment} ${name} ${fingerprint} ${kind}`}
    columns={[
      {
        head: 'Artifact',
        width: '26%',
        cell: ({ name, fingerprint }) => (
          <ArtifactName org={org} name={name ?? 'erased'} fingerprint={fingerprint ?? ''} flow={null} />
        ),
      },
      {
        head: 'Runs in',
        width: '22%',
        cell: ({ environment: env, snapshot_index: index, compliant, tags }) => (
          <>
            <StateMark state={stateOfVerdict(compliant)} />{' '}
            <PageLink page="snapshot" params={{ org, env, expression: String(index) }} row>
              <Text>{env}</Text>
            </PageLink>
            {Object.keys(tags).length > 0 && (
              <>
                {' '}
                <Tags tags={tags} />
              </>
            )}
          </>
        ),
      },
      {
        head: 'Why',
        width: '52%',
        cell: ({ kind, why }) => (
          <>
            <State state="unknown">{kindText(kind)}</State>
            <div>
              <Text>{why}</Text>
            </div>
          </>
        ),
      },
    ]}
  />
);

/** SBOMs that list the component and do not count, because recalls match their signatures. */
export const RecalledTable = ({ org, rows }: TableProps<RecalledSbom>) => (
  <LongTable
    caption="Recalled SBOMs that list the component"
    rows={rows}
    keyOf={({ attestation_id: id }) => id}
    columns={[
      { head: 'SBOM', width: '40%', cell: (row) => <SbomLink org={org} sbom={row} /> },
      { head: 'Version', width: '25%', cell: ({ components }) => <Versions held={components} /> },
      {
        head: 'Recalled',
        width: '35%',
        cell: ({ recalls }) =>
          recalls.map(({ name, version, since }) => (
            <div key={name}>
              <PageLink page="recall" params={{ org, recall: name }}>
                <Text>{name}</Text>
              </PageLink>
              , version {version}, <Time at={since} />
            </div>
          )),
      },
    ]}
  />
);
