import { hash } from 'node:crypto';
import {
  type AttestationId,
  type Fingerprint,
  type FlowId,
  type Id,
  type OrganizationId,
  storedId,
} from '#shared/base/ids.ts';
import { CATALOGUE_SHARDS } from '#shared/series/keys.ts';
import { family, sequence } from '#shared/table/keys.ts';
import type { Key } from '#shared/table/table.ts';

// Flows

export const flowNameKey = (org: OrganizationId, name: string): Key => ({
  pk: family(org, 'FLOWNAME', name),
  sk: 'NAME',
});
export const flowPartition = (org: OrganizationId, flow: FlowId): string => family(org, 'FLOW', flow);
/** What writers need: name, template, whether archived. */
export const flowHeadKey = (org: OrganizationId, flow: FlowId): Key => ({ pk: flowPartition(org, flow), sk: 'HEAD' });
/** What only readers of the flow need: description, template text. */
export const flowFactsKey = (org: OrganizationId, flow: FlowId): Key => ({ pk: flowPartition(org, flow), sk: 'FACTS' });
export const flowTagsKey = (org: OrganizationId, flow: FlowId): Key => ({ pk: flowPartition(org, flow), sk: 'TAGS' });

// Trails. Sort keys are ordered so that one range from HEAD on gives a writer all that decides a verdict, and the
// whole partition gives a reader the trail.

export const trailPartition = (org: OrganizationId, flow: FlowId, trail: string): string =>
  family(org, 'TRAIL', flow, trail);
/** A commit that reports of this trail named, by digest of its text. */
export const trailCommitKey = (partition: string, digest: string): Key => ({ pk: partition, sk: `C#${digest}` });
/** The trail's own fields as they are now. */
export const trailFieldsKey = (partition: string): Key => ({ pk: partition, sk: 'F' });
/** The trail's own fields as they were from the moment of this number on, until the next version. */
export const trailPastFieldsKey = (partition: string, number: number): Key => ({
  pk: partition,
  sk: `F#${sequence(number)}`,
});
export const trailHeadKey = (partition: string): Key => ({ pk: partition, sk: 'H' });
export const TRAIL_DECIDING = { from: 'H', to: 'T' } as const;
export const trailRepoKey = (partition: string, repo: Id): Key => ({ pk: partition, sk: `R#${repo}` });
export const artifactSlotItemKey = (partition: string, slot: string): Key => ({ pk: partition, sk: `SA#${slot}` });
export const attestationSlotItemKey = (partition: string, slot: string): Key => ({ pk: partition, sk: `SE#${slot}` });

export const momentPartition = (org: OrganizationId, flow: FlowId, trail: string): string =>
  family(org, 'MOMENT', flow, trail);
export const momentKey = (org: OrganizationId, flow: FlowId, trail: string, number: number): Key => ({
  pk: momentPartition(org, flow, trail),
  sk: sequence(number),
});

/** Effects of the runtime on a trail, apart from its moments and cut by month (design §2.9). */
export const runtimePartition = (org: OrganizationId, flow: FlowId, trail: string, month: string): string =>
  family(org, 'RUNTIME', flow, trail, month);
/** The months in which a trail has such effects. */
export const runtimeMonthsKey = (org: OrganizationId, flow: FlowId, trail: string): Key => ({
  pk: family(org, 'RUNTIME', flow, trail),
  sk: 'MONTHS',
});

// Records under their own ids

export const attestationKey = (org: OrganizationId, id: AttestationId): Key => ({
  pk: family(org, 'ATTESTATION', id),
  sk: 'RECORD',
});
export const artifactKey = (org: OrganizationId, id: Id): Key => ({ pk: family(org, 'ARTIFACT', id), sk: 'RECORD' });

// Fingerprints and commits. The first five digits make the partition, so that every prefix a reader may give
// (semantics §1.2: 5 to 64 characters) is one range.

export const SHORTEST_PREFIX = 5;
export const shaPartition = (org: OrganizationId, sha: string): string =>
  family(org, 'SHA', sha.slice(0, SHORTEST_PREFIX));
/** The first report of a fingerprint in the organization: the build, and the entry that searches find. */
export const buildKey = (org: OrganizationId, fingerprint: Fingerprint): Key => ({
  pk: shaPartition(org, fingerprint),
  sk: `F#${fingerprint}`,
});
/** A fingerprint that began to run somewhere while no flow vouched for it. */
export const unvouchedKey = (org: OrganizationId, fingerprint: Fingerprint): Key => ({
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
/** A flow that has a tag with this value, for lists that ask by tag. Values may be longer than a key: their digest stands for them. */
export const flowTagPartition = (org: OrganizationId, key: string, value: string): string =>
  family(org, 'FLOWTAG', key, hash('sha256', value));
export const flowTagKey = (org: OrganizationId, key: string, value: string, flow: FlowId): Key => ({
  pk: flowTagPartition(org, key, value),
  sk: flow,
});

// Repositories: by external id (identity), by inner id

export const repoPartition = (org: OrganizationId, externalId: string): string => family(org, 'REPO', externalId);
/** A repository by provider family and external id; family `-` while the provider is unknown. */
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
/** What {@link momentPartition} was made from; null for every other partition. */
export const readMomentPartition = (pk: string): { org: OrganizationId; flow: FlowId; trail: string } | null => {
  const [org = '', name, flow = '', trail = ''] = pk.split('#');
  return name === 'MOMENT' ? { org: storedId(org), flow: storedId(flow), trail } : null;
};

/** Keys of what people say of repositories; `repo-patterns.ts` says what they answer. */

/** Apart from the record, which every report of the repository may put over. */
export const repoTagsKey = (org: OrganizationId, id: Id): Key => ({ pk: repoIdKey(org, id).pk, sk: 'TAGS' });

/** The repositories that have a tag of this name: cut as their catalogue is, since all of them may have it. */
export const repoTagPartition = (org: OrganizationId, name: string, shard: number): string =>
  family(org, 'REPOTAG', name, String(shard));
/** A repository by one of its tags. Values may be longer than a key: their digest stands for them. */
export const repoTagKey = (org: OrganizationId, name: string, value: string, id: Id): Key => ({
  pk: repoTagPartition(org, name, Number.parseInt(id.slice(-1), 16) % CATALOGUE_SHARDS),
  sk: `${hash('sha256', value)}#${id}`,
});
/** What {@link repoTagKey} put behind the digest of the value. */
export const readRepoTagKey = ({ sk }: Key): Id => sk.slice(sk.indexOf('#') + 1);
