import { hash } from 'node:crypto';
import {
  type AttestationId,
  type Fingerprint,
  type FlowId,
  type Id,
  type OrganizationId,
  storedId,
} from '#shared/base/ids.ts';
import { family, sequence } from '#shared/table/keys.ts';
import type { Key } from '#shared/table/table.ts';

// Flows

export const flowNameKey = (org: OrganizationId, name: string): Key => ({
  pk: family(org, 'FLOWNAME', name),
  sk: 'NAME',
});
export const flowPartition = (org: OrganizationId, flow: FlowId): string => family(org, 'FLOW', flow);
/** The part of a flow that writers need: name, template, whether it is archived. */
export const flowHeadKey = (org: OrganizationId, flow: FlowId): Key => ({ pk: flowPartition(org, flow), sk: 'HEAD' });
/** The part of a flow that only readers need: description, template text. */
export const flowFactsKey = (org: OrganizationId, flow: FlowId): Key => ({ pk: flowPartition(org, flow), sk: 'FACTS' });
export const flowTagsKey = (org: OrganizationId, flow: FlowId): Key => ({ pk: flowPartition(org, flow), sk: 'TAGS' });
/** The range of sort keys that verdicts show of a flow: head and tags, without the facts. */
export const FLOW_IDENTITY_RANGE = { from: 'HEAD', to: 'TAGS' } as const;

// Trails. The sort keys are chosen so that one range holds everything that decides a verdict: the head, the repositories
// and the slots. The whole partition holds everything that a reader of the trail needs.

export const trailPartition = (org: OrganizationId, flow: FlowId, trail: string): string =>
  family(org, 'TRAIL', flow, trail);
/** A commit that a report of this trail named, by the digest of its text. */
export const trailCommitKey = (partition: string, digest: string): Key => ({ pk: partition, sk: `C#${digest}` });
/** The present version of the trail's own fields. It sorts directly before the head, so that one range holds both. */
export const trailFieldsKey = (partition: string): Key => ({ pk: partition, sk: 'G' });
/** A past version of the trail's own fields, by the number of the moment that brought it. */
export const trailPastFieldsKey = (partition: string, number: number): Key => ({
  pk: partition,
  sk: `F#${sequence(number)}`,
});
export const trailHeadKey = (partition: string): Key => ({ pk: partition, sk: 'H' });
/** The range of sort keys that lists show: own fields and head. */
export const TRAIL_SUMMARY_RANGE = { from: 'G', to: 'H' } as const;
/** The range of sort keys that decides a verdict: head, repositories and slots (rules/trails.md#trail-head). */
export const TRAIL_STATE_RANGE = { from: 'H', to: 'T' } as const;
export const trailRepoKey = (partition: string, repo: Id): Key => ({ pk: partition, sk: `R#${repo}` });
export const artifactSlotItemKey = (partition: string, slot: string): Key => ({ pk: partition, sk: `SA#${slot}` });
export const attestationSlotItemKey = (partition: string, slot: string): Key => ({ pk: partition, sk: `SE#${slot}` });

export const momentPartition = (org: OrganizationId, flow: FlowId, trail: string): string =>
  family(org, 'MOMENT', flow, trail);
export const momentKey = (org: OrganizationId, flow: FlowId, trail: string, number: number): Key => ({
  pk: momentPartition(org, flow, trail),
  sk: sequence(number),
});

/** Runtime events of a trail, apart from its moments (rules/trails.md#runtime-events). */
export const runtimePartition = (org: OrganizationId, flow: FlowId, trail: string): string =>
  family(org, 'RUNTIME', flow, trail);

// Records under their own ids

export const attestationKey = (org: OrganizationId, id: AttestationId): Key => ({
  pk: family(org, 'ATTESTATION', id),
  sk: 'RECORD',
});
export const artifactKey = (org: OrganizationId, id: Id): Key => ({ pk: family(org, 'ARTIFACT', id), sk: 'RECORD' });

// Fingerprints and commits. The first five characters select the partition, so that every prefix of 5 to 64 characters
// (rules/artifacts.md#prefixes) is one range.

export const SHORTEST_PREFIX = 5;
export const shaPartition = (org: OrganizationId, sha: string): string =>
  family(org, 'SHA', sha.slice(0, SHORTEST_PREFIX));
/** The first report of a fingerprint in the organization. Builds and searches read it. */
export const buildKey = (org: OrganizationId, fingerprint: Fingerprint): Key => ({
  pk: shaPartition(org, fingerprint),
  sk: `F#${fingerprint}`,
});
/**
 * A fingerprint that started to run in an environment before any flow had reported it
 * (rules/lookups.md#unreported-artifacts).
 */
export const unreportedFingerprintKey = (org: OrganizationId, fingerprint: Fingerprint): Key => ({
  pk: shaPartition(org, fingerprint),
  sk: `U#${fingerprint}`,
});
/** A report of an artifact, by its commit. */
export const commitEntryKey = (org: OrganizationId, commit: string, artifact: Id): Key => ({
  pk: shaPartition(org, commit),
  sk: `C#${commit}#${artifact}`,
});
export const fingerprintPartition = (org: OrganizationId, fingerprint: Fingerprint): string =>
  family(org, 'FINGERPRINT', fingerprint);
/** The latest report of a fingerprint in a flow. */
export const fingerprintFlowKey = (org: OrganizationId, fingerprint: Fingerprint, flow: FlowId): Key => ({
  pk: fingerprintPartition(org, fingerprint),
  sk: `FLOW#${flow}`,
});
/** The flows that have a tag with this value. The key holds the digest of the value, which may be longer than a key. */
export const flowTagPartition = (org: OrganizationId, key: string, value: string): string =>
  family(org, 'FLOWTAG', key, hash('sha256', value));
export const flowTagKey = (org: OrganizationId, key: string, value: string, flow: FlowId): Key => ({
  pk: flowTagPartition(org, key, value),
  sk: flow,
});

// Repositories: by the id at the provider (identity), and by inner id

export const repoPartition = (org: OrganizationId, externalId: string): string => family(org, 'REPO', externalId);
/** A repository by its id at the provider and its provider family; the family is `-` while the provider is unknown. */
export const repoKey = (org: OrganizationId, externalId: string, providerFamily: string): Key => ({
  pk: repoPartition(org, externalId),
  sk: providerFamily,
});
export const repoIdKey = (org: OrganizationId, id: Id): Key => ({ pk: family(org, 'REPOID', id), sk: 'REPO' });

// Custom attestation types

export const typePartition = (org: OrganizationId, name: string): string => family(org, 'TYPE', name);
export const typeHeadKey = (org: OrganizationId, name: string): Key => ({ pk: typePartition(org, name), sk: 'HEAD' });
export const typeVersionKey = (org: OrganizationId, name: string, version: number): Key => ({
  pk: typePartition(org, name),
  sk: `V#${sequence(version)}`,
});
/** Reads the parts of a {@link momentPartition}; null for every other partition. */
export const readMomentPartition = (pk: string): { org: OrganizationId; flow: FlowId; trail: string } | null => {
  const [org = '', name, flow = '', trail = ''] = pk.split('#');
  return name === 'MOMENT' ? { org: storedId(org), flow: storedId(flow), trail } : null;
};

// Tags of repositories

/** The tags of a repository. They are an item of their own, because a report may replace the repository's record. */
export const repoTagsKey = (org: OrganizationId, id: Id): Key => ({ pk: repoIdKey(org, id).pk, sk: 'TAGS' });

/** Number of partitions of the repositories with one tag. They are read at the same time. */
export const REPO_TAG_SHARDS = 2;
/**
 * The repositories that have a tag of this name. They are divided into shards, because all repositories may have the
 * tag.
 */
export const repoTagPartition = (org: OrganizationId, name: string, shard: number): string =>
  family(org, 'REPOTAG', name, String(shard));
/** A repository by one of its tags. The key holds the digest of the value, which may be longer than a key. */
export const repoTagKey = (org: OrganizationId, name: string, value: string, id: Id): Key => ({
  pk: repoTagPartition(org, name, Number.parseInt(id.slice(-1), 16) % REPO_TAG_SHARDS),
  sk: `${hash('sha256', value)}#${id}`,
});
