import { hash } from 'node:crypto';
import type { Id } from '#shared/base/ids.ts';
import type { Key } from './table.ts';

/**
 * Every key of the single table, one function per access pattern; `access-patterns.ts` says which question each one
 * answers. All keys of an organization begin with its immutable id and the record family, both in the partition key
 * (design §2.11); the directory is the one exception, under prefixes that no id can begin with.
 * No accepted name contains `#` (semantics §1.2), so joined parts cannot run into each other.
 */

/** Pads a number of a series so that text order in a sort key is number order. */
export const sequence = (n: number): string => n.toString().padStart(10, '0');

/** A partition key of an organization: its id, the record family, what tells partitions of the family apart. */
export const family = (org: Id, name: string, ...rest: string[]): string => [org, name, ...rest].join('#');

// The directory: what is looked up before an organization is known.

/** An API key by the SHA-256 (hex) of its secret. */
export const apiKeyKey = (secretHash: string): Key => ({ pk: `@KEY#${secretHash}`, sk: 'KEY' });
/** The keys of a user (by id) or service account (`api-keys.ts`), by the key's id: for lists, and for revoking by id. */
export const principalKeyKey = (principal: string, keyId: Id): Key => ({ pk: principalKeyList(principal), sk: keyId });
export const principalKeyList = (principal: string): string => `@KEYS#${principal}`;
/** An organization by name. */
export const organizationKey = (name: string): Key => ({ pk: `@ORG#${name}`, sk: 'ORG' });
/** The list of organizations, for the relay's sweeps. */
export const organizationListKey = (id: Id): Key => ({ pk: '@ORGS', sk: id });
export const organizationList = '@ORGS';
/** A user by name. */
export const userKey = (name: string): Key => ({ pk: `@USER#${name}`, sk: 'USER' });

// People and keys of an organization

export const memberKey = (org: Id, user: Id): Key => ({ pk: family(org, 'MEMBER'), sk: user });
export const memberList = (org: Id): string => family(org, 'MEMBER');

// Flows

export const flowNameKey = (org: Id, name: string): Key => ({ pk: family(org, 'FLOWNAME', name), sk: 'NAME' });
export const flowPartition = (org: Id, flow: Id): string => family(org, 'FLOW', flow);
/** What writers need: name, template, whether archived. */
export const flowHeadKey = (org: Id, flow: Id): Key => ({ pk: flowPartition(org, flow), sk: 'HEAD' });
/** What only readers of the flow need: description, template text. */
export const flowFactsKey = (org: Id, flow: Id): Key => ({ pk: flowPartition(org, flow), sk: 'FACTS' });
export const flowTagsKey = (org: Id, flow: Id): Key => ({ pk: flowPartition(org, flow), sk: 'TAGS' });

// Trails. Sort keys are ordered so that one range from HEAD on gives a writer all that decides a verdict, and the
// whole partition gives a reader the trail.

export const trailPartition = (org: Id, flow: Id, trail: string): string => family(org, 'TRAIL', flow, trail);
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

export const momentPartition = (org: Id, flow: Id, trail: string): string => family(org, 'MOMENT', flow, trail);
export const momentKey = (org: Id, flow: Id, trail: string, number: number): Key => ({
  pk: momentPartition(org, flow, trail),
  sk: sequence(number),
});

/** Effects of the runtime on a trail, apart from its moments and cut by month (design §2.9). */
export const runtimePartition = (org: Id, flow: Id, trail: string, month: string): string =>
  family(org, 'RUNTIME', flow, trail, month);
/** The months in which a trail has such effects. */
export const runtimeMonthsKey = (org: Id, flow: Id, trail: string): Key => ({
  pk: family(org, 'RUNTIME', flow, trail),
  sk: 'MONTHS',
});

// Records under their own ids

export const attestationKey = (org: Id, id: Id): Key => ({ pk: family(org, 'ATTESTATION', id), sk: 'RECORD' });
export const artifactKey = (org: Id, id: Id): Key => ({ pk: family(org, 'ARTIFACT', id), sk: 'RECORD' });

// Fingerprints and commits. The first five digits make the partition, so that every prefix a reader may give
// (semantics §1.2: 5 to 64 characters) is one range.

export const SHORTEST_PREFIX = 5;
export const shaPartition = (org: Id, sha: string): string => family(org, 'SHA', sha.slice(0, SHORTEST_PREFIX));
/** The first report of a fingerprint in the organization: the build, and the entry that searches find. */
export const buildKey = (org: Id, fingerprint: string): Key => ({
  pk: shaPartition(org, fingerprint),
  sk: `F#${fingerprint}`,
});
/** A fingerprint that began to run somewhere while no flow vouched for it. */
export const unvouchedKey = (org: Id, fingerprint: string): Key => ({
  pk: shaPartition(org, fingerprint),
  sk: `U#${fingerprint}`,
});
/** A report of an artifact, by its commit. */
export const commitEntryKey = (org: Id, commit: string, artifact: Id): Key => ({
  pk: shaPartition(org, commit),
  sk: `C#${commit}#${artifact}`,
});
export const fingerprintPartition = (org: Id, fingerprint: string): string => family(org, 'FINGERPRINT', fingerprint);
/** The latest report of a fingerprint in a flow. */
export const fingerprintFlowKey = (org: Id, fingerprint: string, flow: Id): Key => ({
  pk: fingerprintPartition(org, fingerprint),
  sk: `FLOW#${flow}`,
});
/** A flow that has a tag with this value, for lists that ask by tag. Values may be longer than a key: their digest stands for them. */
export const flowTagPartition = (org: Id, key: string, value: string): string =>
  family(org, 'FLOWTAG', key, hash('sha256', value));
export const flowTagKey = (org: Id, key: string, value: string, flow: Id): Key => ({
  pk: flowTagPartition(org, key, value),
  sk: flow,
});

/** Decisions about a control: those on one fingerprint, or those on one trail (semantics §7.3). */
export const decisionPartition = (
  org: Id,
  control: string,
  about: { fingerprint: string } | { flow: Id; trail: string },
): string =>
  'fingerprint' in about
    ? family(org, 'DECISION', control, 'F', about.fingerprint)
    : family(org, 'DECISION', control, 'T', about.flow, about.trail);

// Repositories: by external id (identity), by inner id

export const repoPartition = (org: Id, externalId: string): string => family(org, 'REPO', externalId);
/** A repository by provider family and external id; family `-` while the provider is unknown. */
export const repoKey = (org: Id, externalId: string, providerFamily: string): Key => ({
  pk: repoPartition(org, externalId),
  sk: providerFamily,
});
export const repoIdKey = (org: Id, id: Id): Key => ({ pk: family(org, 'REPOID', id), sk: 'REPO' });

// Custom attestation types

export const typePartition = (org: Id, name: string): string => family(org, 'TYPE', name);
export const typeHeadKey = (org: Id, name: string): Key => ({ pk: typePartition(org, name), sk: 'HEAD' });
export const typeVersionKey = (org: Id, name: string, version: number): Key => ({
  pk: typePartition(org, name),
  sk: `V#${sequence(version)}`,
});

// Bodies and uploads

/** A body kept by content: where it lies. */
export const bodyPartition = (org: Id, digest: string): string => family(org, 'BODY', digest);
export const bodyKey = (org: Id, digest: string): Key => ({ pk: bodyPartition(org, digest), sk: 'BODY' });
/** One use of a body: while any is there, the body must stay (design §2.1). */
export const bodyUseKey = (org: Id, digest: string, user: string): Key => ({
  pk: bodyPartition(org, digest),
  sk: `USE#${user}`,
});
export const uploadKey = (org: Id, id: Id): Key => ({ pk: family(org, 'UPLOAD', id), sk: 'UPLOAD' });

// Lists

/** Catalogue entries lie in this many partitions per kind, read at once (design §4.3). */
export const CATALOGUE_SHARDS = 8;
export const cataloguePartition = (org: Id, kind: string, shard: number): string =>
  family(org, 'CATALOGUE', kind, String(shard));
/** The last digit of an id is random: it spreads entries evenly. */
export const catalogueKey = (org: Id, kind: string, id: Id): Key => ({
  pk: cataloguePartition(org, kind, Number.parseInt(id.slice(-1), 16) % CATALOGUE_SHARDS),
  sk: id,
});
/** What the relay derives about a flow: its latest activity and state. Beside the catalogue entry, never over it. */
export const activityKey = (org: Id, kind: string, id: Id): Key => {
  const { pk } = catalogueKey(org, kind, id);
  return { pk, sk: `${id}#ACTIVITY` };
};

/** Entries of a time series: cut by month (`202611`), a shard digit reserved (design §2.9). */
export const seriesPartition = (org: Id, series: string, month: string): string =>
  family(org, 'SERIES', series, month, '0');
export const seriesDirectory = (org: Id, series: string): string => family(org, 'MILESTONES', series);
/** The months in which a series has entries. */
export const seriesMonthsKey = (org: Id, series: string): Key => ({ pk: seriesDirectory(org, series), sk: 'HEAD' });
/** A milestone by how many entries come before it. */
export const seriesMilestoneKey = (org: Id, series: string, total: number): Key => ({
  pk: seriesDirectory(org, series),
  sk: `M#${sequence(total)}`,
});
/** The same milestone by the entry that it begins with. */
export const seriesMilestoneIdKey = (org: Id, series: string, first: Id): Key => ({
  pk: seriesDirectory(org, series),
  sk: `I#${first}`,
});
/** The series that may have earned milestones which nobody appended yet, for the relay's sweeps. */
export const dueSeriesList = (org: Id): string => family(org, 'SERIESLIST');
export const dueSeriesKey = (org: Id, series: string): Key => ({ pk: dueSeriesList(org), sk: series });
/** What {@link seriesPartition} was made from; null for every other partition. */
export const readSeriesPartition = (pk: string): { org: Id; series: string; month: string } | null => {
  const [org = '', name, series = '', month = ''] = pk.split('#');
  return name === 'SERIES' ? { org, series, month } : null;
};
/** What {@link momentPartition} was made from; null for every other partition. */
export const readMomentPartition = (pk: string): { org: Id; flow: Id; trail: string } | null => {
  const [org = '', name, flow = '', trail = ''] = pk.split('#');
  return name === 'MOMENT' ? { org, flow, trail } : null;
};

export const idempotencyKey = (org: Id, principal: Id, digest: string): Key => ({
  pk: family(org, 'IDEMPOTENCY', principal),
  sk: digest,
});

// Actions and deliveries

/** Actions and environment notifications: every save of each, the counter of numbers, and the counts of those who take turns. */
export const actionPartition = (org: Id): string => family(org, 'ACTION');
export const actionCounterKey = (org: Id): Key => ({ pk: family(org, 'ACTIONS'), sk: 'COUNTER' });
export const notificationTurnKey = (org: Id): Key => ({ pk: family(org, 'ACTIONS'), sk: 'TURN' });
export const actionKey = (org: Id, number: number, version: number): Key => ({
  pk: actionPartition(org),
  sk: `${sequence(number)}#${sequence(version)}`,
});
export const actionNameKey = (org: Id, kind: string, name: string): Key => ({
  pk: family(org, 'ACTIONNAME', kind, name),
  sk: 'NAME',
});
export const actionSecretKey = (org: Id, number: number): Key => ({
  pk: family(org, 'ACTIONSECRET', String(number)),
  sk: 'SECRET',
});
export const targetHealthPartition = (org: Id, action: number): string => family(org, 'HEALTH', String(action));
export const targetHealthKey = (org: Id, action: number, target: string): Key => ({
  pk: targetHealthPartition(org, action),
  sk: target,
});
/** Deliveries of an action, cut by month; the attempts of each lie behind it. */
export const deliveryPartition = (org: Id, action: number, month: string): string =>
  family(org, 'DELIVERY', String(action), month);
/** What {@link deliveryPartition} was made from; null for every other partition. */
export const readDeliveryPartition = (pk: string): { org: Id; action: number } | null => {
  const [org = '', name, action = ''] = pk.split('#');
  return name === 'DELIVERY' ? { org, action: Number(action) } : null;
};
export const deliveryKey = (org: Id, action: number, month: string, id: Id): Key => ({
  pk: deliveryPartition(org, action, month),
  sk: id,
});
export const attemptKey = (org: Id, action: number, month: string, id: Id, attempt: number): Key => ({
  pk: deliveryPartition(org, action, month),
  sk: `${id}#${String(attempt).padStart(3, '0')}`,
});
/** Pending deliveries by due time, over all organizations: what the sweeper reads. */
export const DUE_SHARDS = 4;
export const duePartition = (shard: number): string => `@DUE#${shard}`;
export const dueKey = (due: number, org: Id, action: number, delivery: Id): Key => ({
  pk: duePartition(Number.parseInt(delivery.slice(-1), 16) % DUE_SHARDS),
  sk: [due.toString().padStart(17, '0'), org, action, delivery].join('#'),
});
/** Organizations that ever had an action: those whose events somebody waits for. */
export const notifiedOrganizations = '@NOTIFIED';
export const notifiedOrganizationKey = (org: Id): Key => ({ pk: notifiedOrganizations, sk: org });
/** How far the settled entries of a series were relayed to targets. */
export const relayedKey = (org: Id, series: string): Key => ({ pk: family(org, 'RELAYED'), sk: series });
