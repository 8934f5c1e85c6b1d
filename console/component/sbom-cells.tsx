import { PageLink } from '../parts/link/link.tsx';
import { State } from '../parts/text/state.tsx';
import { Text } from '../parts/text/text.tsx';
import { Time } from '../parts/text/time.tsx';
import { ArtifactName } from '../release/artifact-name.tsx';
import type { Build, Sbom } from './operations.ts';

interface ArtifactLinkProps {
  org: string;
  flow: string;
  artifact: Build['artifacts'][number];
}

/** The artifact of a row. Without a name its trail does not have it, so that there is no page of it. */
export const ArtifactLink = ({ org, flow, artifact: { fingerprint, name } }: ArtifactLinkProps) => (
  <ArtifactName
    org={org}
    name={name ?? 'no build reported'}
    fingerprint={fingerprint}
    flow={name === null ? null : flow}
  />
);

/** The versions that an SBOM lists, how deep, and why one of them may not be meant. */
export const Versions = ({ held }: { held: Sbom['components'] }) =>
  held.map(({ package: purl, version, qualifiers, depth, count, undecided }) => (
    <div key={`${purl} ${version} ${qualifiers} ${depth} ${undecided}`}>
      {version === null ? 'no version' : <Text>{version}</Text>}
      {qualifiers !== null && (
        <>
          {' '}
          <Text>{qualifiers}</Text>
        </>
      )}
      {depth !== null && `, ${depth}`}
      {count > 1 && `, ${count} times`}
      {purl === null && undecided === null && ', no package URL'}
      {undecided !== null && (
        <>
          : <Text>{undecided}</Text>
        </>
      )}
    </div>
  ));

/** The SBOM that says so: its seal, its trail, and when it was reported. */
export const SbomLink = ({ org, sbom }: { org: string; sbom: Sbom }) => (
  <>
    <PageLink
      page="trail"
      params={{ org, flow: sbom.flow_name, trail: sbom.trail_name }}
      search={{ attestation_id: sbom.attestation_id }}
    >
      <Text>{sbom.attestation_name}</Text>
    </PageLink>{' '}
    of <Text>{sbom.trail_name}</Text> of <Text>{sbom.flow_name}</Text>, <Time at={sbom.reported_at} />
    <div>
      <State state={sbom.grade ?? 'stated'}>
        {sbom.signer === null ? (sbom.grade ?? 'stated') : <Text>{sbom.signer}</Text>}
      </State>
    </div>
  </>
);
