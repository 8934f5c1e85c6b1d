import { hash } from 'node:crypto';
import {
  type AttestationId,
  type Fingerprint,
  type FlowId,
  type Id,
  type OrganizationId,
  storedId,
} from '#shared/base/ids.ts';
import { type FlowName, storedName, type TrailName } from '#shared/base/names.ts';
import type { Key, PartitionKey } from '#shared/table/items.ts';
import { family, keyIn, sequence } from '#shared/table/keys.ts';

// Flows

export const flowNameKey = (org: OrganizationId, name: FlowName): Key => keyIn(family(org, 'FLOWNAME', name), 'NAME');
export const flowPartition = (org: OrganizationId, flow: FlowId): PartitionKey => family(org, 'FLOW', flow);
/** The part of a flow that writers need: name, template, whether it is archived. */
export const flowHeadKey = (org: OrganizationId, flow: FlowId): Key => keyIn(flowPartition(org, flow), 'HEAD');
/** The part of a flow that only readers need: description, template text. */
export const flowFactsKey = (org: OrganizationId, flow: FlowId): Key => keyIn(flowPartition(org, flow), 'FACTS');
export const flowTagsKey = (org: OrganizationId, flow: FlowId): Key => keyIn(flowPartition(org, flow), 'TAGS');
/** The range of sort keys that verdicts show of a flow: head and tags, without the facts. */
export const FLOW_IDENTITY_RANGE = { from: 'HEAD', to: 'TAGS' } as const;

// Trails. The sort keys are chosen so that one range holds everything that decides a verdict: the head, the repositories
// and the slots. The whole partition holds everything that a reader of the trail needs.

export const trailPartition = (org: OrganizationId, flow: FlowId, trail: TrailName): PartitionKey =>
  family(org, 'TRAIL', flow, trail);
/** A commit that a report of this trail named, by the digest of its text. */
export const trailCommitKey = (partition: PartitionKey, digest: string): Key => keyIn(partition, `C#${digest}`);
/** The present version of the trail's own fields. It sorts directly before the head, so that one range holds both. */
export const trailFieldsKey = (partition: PartitionKey): Key => keyIn(partition, 'G');
/** A past version of the trail's own fields, by the number of the moment that brought it. */
export const trailPastFieldsKey = (partition: PartitionKey, number: number): Key =>
  keyIn(partition, `F#${sequence(number)}`);
export const trailHeadKey = (partition: PartitionKey): Key => keyIn(partition, 'H');
/** The range of sort keys that lists show: own fields and head. */
export const TRAIL_SUMMARY_RANGE = { from: 'G', to: 'H' } as const;
/** The range of sort keys that decides a verdict: head, repositories and slots (rules/trails.md#trail-head). */
export const TRAIL_STATE_RANGE = { from: 'H', to: 'T' } as const;
export const trailRepoKey = (partition: PartitionKey, repo: Id): Key => keyIn(partition, `R#${repo}`);
export const artifactSlotItemKey = (partition: PartitionKey, slot: string): Key => keyIn(partition, `SA#${slot}`);
export const attestationSlotItemKey = (partition: PartitionKey, slot: string): Key => keyIn(partition, `SE#${slot}`);

export const momentPartition = (org: OrganizationId, flow: FlowId, trail: TrailName): PartitionKey =>
  family(org, 'MOMENT', flow, trail);
export const momentKey = (org: OrganizationId, flow: FlowId, trail: TrailName, number: number): Key =>
  keyIn(momentPartition(org, flow, trail), sequence(number));

/** Runtime events of a trail, apart from its moments (rules/trails.md#runtime-events). */
export const runtimePartition = (org: OrganizationId, flow: FlowId, trail: TrailName): PartitionKey =>
  family(org, 'RUNTIME', flow, trail);

// Records under their own ids

export const attestationKey = (org: OrganizationId, id: AttestationId): Key =>
  keyIn(family(org, 'ATTESTATION', id), 'RECORD');
/** What was found in the files of an attestation that may have an SBOM. The expander writes it, which may not write the record. */
export const attestationComponentsKey = (org: OrganizationId, id: AttestationId): Key =>
  keyIn(family(org, 'SBOM', id), 'COMPONENTS');
/** Reads the parts of an {@link attestationKey}; null for every other key. */
export const readAttestationKey = ({
  pk,
  sk,
}: {
  pk: string;
  sk: string;
}): { org: OrganizationId; attestation: AttestationId } | null => {
  const [org = '', name, attestation = ''] = pk.split('#');
  return name === 'ATTESTATION' && sk === 'RECORD' ? { org: storedId(org), attestation: storedId(attestation) } : null;
};
export const artifactKey = (org: OrganizationId, id: Id): Key => keyIn(family(org, 'ARTIFACT', id), 'RECORD');

// Fingerprints and commits. The first five characters select the partition, so that every prefix of 5 to 64 characters
// (rules/artifacts.md#prefixes) is one range.

export const SHORTEST_PREFIX = 5;
export const shaPartition = (org: OrganizationId, sha: string): PartitionKey =>
  family(org, 'SHA', sha.slice(0, SHORTEST_PREFIX));
/** The first report of a fingerprint in the organization. Builds and searches read it. */
export const buildKey = (org: OrganizationId, fingerprint: Fingerprint): Key =>
  keyIn(shaPartition(org, fingerprint), `F#${fingerprint}`);
/**
 * A fingerprint that started to run in an environment before any flow had reported it
 * (rules/lookups.md#unreported-artifacts).
 */
export const unreportedFingerprintKey = (org: OrganizationId, fingerprint: Fingerprint): Key =>
  keyIn(shaPartition(org, fingerprint), `U#${fingerprint}`);
/** A report of an artifact, by its commit. */
export const commitEntryKey = (org: OrganizationId, commit: string, artifact: Id): Key =>
  keyIn(shaPartition(org, commit), `C#${commit}#${artifact}`);
export const fingerprintPartition = (org: OrganizationId, fingerprint: Fingerprint): PartitionKey =>
  family(org, 'FINGERPRINT', fingerprint);
/** The latest report of a fingerprint in a flow. */
export const fingerprintFlowKey = (org: OrganizationId, fingerprint: Fingerprint, flow: FlowId): Key =>
  keyIn(fingerprintPartition(org, fingerprint), `FLOW#${flow}`);
/** The flows that have a tag with this value. The key holds the digest of the value, which may be longer than a key. */
export const flowTagPartition = (org: OrganizationId, key: string, value: string): PartitionKey =>
  family(org, 'FLOWTAG', key, hash('sha256', value));
export const flowTagKey = (org: OrganizationId, key: string, value: string, flow: FlowId): Key =>
  keyIn(flowTagPartition(org, key, value), flow);

// Signatures. A recall names a signer, a run and so on, and finds the trails with evidence that they signed.

/** What recalls can name. */
export type SignedBy = 'signer' | 'root' | 'builder' | 'run' | 'key' | 'bundle';
/**
 * The trails with evidence that somebody signed, by the month of the report; `-` where a trail is found without its month. The key
 * holds the digest of the name, which may be longer than a key.
 */
export const signedPartition = (org: OrganizationId, by: SignedBy, name: string, month: string): PartitionKey =>
  family(org, 'SIGNED', by, hash('sha256', name), month);
export const signedKey = (
  org: OrganizationId,
  { by, name, month }: { by: SignedBy; name: string; month: string },
  flow: FlowId,
  trail: TrailName,
): Key => keyIn(signedPartition(org, by, name, month), `${flow}#${trail}`);

// Repositories: by the id at the provider (identity), and by inner id

export const repoPartition = (org: OrganizationId, externalId: string): PartitionKey => family(org, 'REPO', externalId);
/** A repository by its id at the provider and its provider family; the family is `-` while the provider is unknown. */
export const repoKey = (org: OrganizationId, externalId: string, providerFamily: string): Key =>
  keyIn(repoPartition(org, externalId), providerFamily);
export const repoIdKey = (org: OrganizationId, id: Id): Key => keyIn(family(org, 'REPOID', id), 'REPO');

// Custom attestation types

export const typePartition = (org: OrganizationId, name: string): PartitionKey => family(org, 'TYPE', name);
export const typeHeadKey = (org: OrganizationId, name: string): Key => keyIn(typePartition(org, name), 'HEAD');
export const typeVersionKey = (org: OrganizationId, name: string, version: number): Key =>
  keyIn(typePartition(org, name), `V#${sequence(version)}`);
/** Reads the parts of a {@link momentPartition}; null for every other partition. */
export const readMomentPartition = (
  pk: PartitionKey,
): { org: OrganizationId; flow: FlowId; trail: TrailName } | null => {
  const [org = '', name, flow = '', trail = ''] = pk.split('#');
  return name === 'MOMENT' ? { org: storedId(org), flow: storedId(flow), trail: storedName(trail) } : null;
};

// Tags of repositories

/** The tags of a repository. They are an item of their own, because a report may replace the repository's record. */
export const repoTagsKey = (org: OrganizationId, id: Id): Key => keyIn(repoIdKey(org, id).pk, 'TAGS');

/** Number of partitions of the repositories with one tag. They are read at the same time. */
export const REPO_TAG_SHARDS = 2;
/**
 * The repositories that have a tag of this name. They are divided into shards, because all repositories may have the
 * tag.
 */
export const repoTagPartition = (org: OrganizationId, name: string, shard: number): PartitionKey =>
  family(org, 'REPOTAG', name, String(shard));
/** A repository by one of its tags. The key holds the digest of the value, which may be longer than a key. */
export const repoTagKey = (org: OrganizationId, name: string, value: string, id: Id): Key =>
  keyIn(
    repoTagPartition(org, name, Number.parseInt(id.slice(-1), 16) % REPO_TAG_SHARDS),
    `${hash('sha256', value)}#${id}`,
  );
