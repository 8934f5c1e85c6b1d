import type { FlowId, OrganizationId } from '#shared/base/ids.ts';
import type { TrailName } from '#shared/base/names.ts';
import { randomBytes } from '#shared/base/random.ts';
import { again } from '#shared/base/retry.ts';
import type { StoredBody } from '#shared/bodies/bodies.ts';
import { erasedBody } from '#shared/bodies/erased-bodies.ts';
import { type Erasure, type ErasurePlan, usesOf } from '#shared/bodies/erasure.ts';
import { change, equal, unchanged } from '#shared/table/expressions.ts';
import type { Item, Table, Write } from '#shared/table/table.ts';
import { momentPartition, trailHeadKey, trailPartition } from '../records/keys.ts';
import { type Moment, momentErasureWrite, readMoment } from '../records/moments.ts';
import { CommitItem, FieldsItem, isFields, isPresentFields, TrailHead } from '../records/trail-items.ts';
import { detailsOf, detailsText, type MomentDetails } from '../rules/moment-texts.ts';

/** A trail by the id of its flow. */
interface TrailPlace {
  flow: FlowId;
  trail: TrailName;
}

/** A trail as an erasure reads it. */
interface ErasableTrail {
  place: TrailPlace;
  head: TrailHead;
  items: Item[];
  moments: Moment[];
}

/** Reads the items and all moments of a trail; null if there is no such trail. */
export async function readErasableTrail(
  table: Table,
  org: OrganizationId,
  place: TrailPlace,
): Promise<ErasableTrail | null> {
  const { flow, trail } = place;
  const items = await table.query({ pk: trailPartition(org, flow, trail) });
  // Read after the head: moments that are newer than the head do no harm.
  const moments = await table.query({ pk: momentPartition(org, flow, trail) });
  const head = items.find(({ sk }) => sk === 'H');
  return head ? { place, head: TrailHead.parse(head), items, moments: moments.map(readMoment) } : null;
}

/**
 * Plans the erasure of what a trail says of itself: all versions of its own fields, and the commits of its events
 * (rules/erasure.md#erased-trail). Both are named by their unsalted digests in the moments, so the moments are erased as
 * far as they contain such a digest.
 */
export async function planTrail(
  table: Table,
  org: OrganizationId,
  read: ErasableTrail,
  erased: Erasure,
): Promise<ErasurePlan> {
  const { place, head, items, moments } = read;
  const { pk } = trailHeadKey(trailPartition(org, place.flow, place.trail));
  const versions = items.filter(isFields).map((item) => ({ item, ...FieldsItem.parse(item) }));
  const present = versions.find(({ item, body }) => isPresentFields(item) && body.store !== 'erased');
  const digest = present ? replacement() : head.fields;
  const commits = items.filter(({ sk }) => sk.startsWith('C#'));
  const kept = new Set([
    digest,
    ...versions.flatMap(({ body, digest: own }) => (body.store === 'erased' ? [own] : [])),
  ]);
  const erasable = moments.flatMap((moment) => {
    const { commit, ...details } = detailsOf(moment.content);
    const fields = details.fields !== null && kept.has(details.fields) ? details.fields : null;
    const rest = { ...details, fields };
    return isSame(rest, moment) ? [] : [{ moment, rest }];
  });
  const ownTexts = versions.map(({ body }) => body);
  const commitTexts = commits.map((item) => CommitItem.parse(item).body);
  const objects = [
    ...(await objectsOf(table, org, ownTexts, 'trail:', `:${place.trail}`)),
    ...(await objectsOf(table, org, commitTexts, 'commit:', '')),
  ];
  return {
    what: `trail ${place.flow}/${place.trail}`,
    objects,
    removed: removedOf(moments, (moment) => [
      ...(erasable.some((one) => one.moment === moment) ? detailsName(moment) : []),
      ...(versions.some(({ number, body }) => number === moment.number && body.store !== 'erased') ? ['fields'] : []),
    ]),
    writes: [
      ...(present || head.commit !== null ? [headWrite(org, place, head, digest)] : []),
      ...(present ? [fieldsWrite(present.item, present.digest, digest ?? '', erased)] : []),
      ...versions
        .filter(({ item, body }) => !isPresentFields(item) && body.store !== 'erased')
        .map(({ item, digest: own }) => fieldsWrite(item, own, replacement(), erased)),
      ...commits.map((item): Write<'again'> => ({ remove: { pk, sk: item.sk } })),
      ...erasable.map(({ moment, rest }) => momentErasureWrite(org, moment, rest, erased)),
    ],
  };
}

/** Names what is removed of each moment. Moments of which nothing is removed are left out. */
function removedOf(moments: readonly Moment[], namesOf: (moment: Moment) => string[]): Record<string, string[]> {
  const named = moments.map((moment) => [hashOf(moment), namesOf(moment)] as const);
  return Object.fromEntries(named.filter(([, names]) => names.length > 0));
}

/** Returns the SHA-256 of the entry of a moment, as the log has it. */
export const hashOf = ({ hash }: Pick<Moment, 'hash'>): string => Buffer.from(hash).toString('hex');

/** The text under `details` is gone after the first erasure of the moment; a later one changes only what is left. */
const detailsName = ({ detailsSalt }: Moment): string[] => (detailsSalt ? ['details'] : []);

/** Stands in for the digest of an erased text. It is random, so it says nothing about the text. */
const replacement = (): string => `erased-${randomBytes(16).toString('hex')}`;

/** Replaces the digests in the head. A writer that read the old head is refused and reads again. */
const headWrite = (
  org: OrganizationId,
  { flow, trail }: TrailPlace,
  head: TrailHead,
  replaced: string | null,
): Write<'again'> => ({
  update: trailHeadKey(trailPartition(org, flow, trail)),
  ...change({ set: { fields: replaced, commit: null } }, unchanged(head, 'number', 'fields', 'commit')),
  refused: again,
});

const fieldsWrite = ({ pk, sk }: Item, digest: string, replaced: string, erased: Erasure): Write<'again'> => ({
  update: { pk, sk },
  ...change({ set: { digest: replaced, body: erasedBody(erased) } }, equal({ digest })),
  refused: again,
});

/**
 * Returns the objects of large texts. The uses of these texts contain the name that the flow had at that time, so they
 * are found among all uses of the text.
 */
async function objectsOf(
  table: Table,
  org: OrganizationId,
  bodies: readonly StoredBody[],
  start: string,
  end: string,
): Promise<ErasurePlan['objects']> {
  const digests = bodies.filter(({ store }) => store === 's3').map(({ digest }) => Buffer.from(digest).toString('hex'));
  const found = await Promise.all(
    digests.map(async (sha256) => {
      const { users } = await usesOf(table, org, sha256);
      const own = users.filter((user) => user.startsWith(start) && user.endsWith(end));
      return own.map((user) => ({ prefix: 'bodies' as const, sha256, user }));
    }),
  );
  return found.flat();
}

/** What an erasure of a report changes in its moment, and the entry of the log that it belongs to. */
interface MomentPlan extends Pick<ErasurePlan, 'writes' | 'objects'> {
  /** SHA-256 of the entry in hex. */
  hash: string;
  /** Names of the commitments whose texts the writes remove. */
  removed: string[];
}

/**
 * Plans the erasure of what the event of a report copies from it: the file name, and the commit. If other reports of the
 * trail named the same commit, it stays, because it is not only a copy of this report's
 * (rules/erasure.md#erased-attestation).
 *
 * @param number number of the report's moment
 * @throws Error if the trail does not have the moment
 */
export async function planReportMoment(
  table: Table,
  org: OrganizationId,
  place: TrailPlace,
  number: number,
  erased: Erasure,
): Promise<MomentPlan> {
  const read = await readErasableTrail(table, org, place);
  const moment = read?.moments.find((one) => one.number === number);
  if (!read || !moment) throw new Error(`The trail ${place.flow}/${place.trail} has no moment ${number}`);
  const { commit, ...rest } = detailsOf(moment.content);
  const isOwn = commit !== undefined && !read.moments.some((one) => one !== moment && one.content.commit === commit);
  const item = isOwn ? read.items.find(({ sk }) => sk === `C#${commit}`) : undefined;
  const text = item && CommitItem.parse(item).body;
  const left = withoutFilename({ ...rest, ...(commit !== undefined && !isOwn && { commit }) });
  const changes = !isSame(left, moment);
  return {
    hash: hashOf(moment),
    removed: changes ? detailsName(moment) : [],
    objects: text ? await objectsOf(table, org, [text], 'commit:', `:${commit}`) : [],
    writes: [
      ...(isOwn && read.head.commit === commit ? [headWrite(org, place, read.head, read.head.fields)] : []),
      ...(item ? [{ remove: { pk: item.pk, sk: item.sk } }] : []),
      ...(changes ? [momentErasureWrite(org, moment, left, erased)] : []),
    ],
  };
}

const isSame = (details: MomentDetails, { content }: Moment): boolean =>
  detailsText(details) === detailsText(detailsOf(content));

const withoutFilename = ({ show, ...details }: MomentDetails): MomentDetails => ({
  ...details,
  ...(show && { show: { ...show, ...('filename' in show && { filename: '' }) } }),
});

/**
 * Plans the erasure of the details of a moment: the digests of commit and fields, the names of people and the file name
 * (rules/erasure.md#erased-moment).
 */
export function planMoment(org: OrganizationId, moment: Moment, erased: Erasure): ErasurePlan {
  const { commit: _, ...details } = detailsOf(moment.content);
  const left = withoutFilename({ ...details, fields: null, by: { name: '' } });
  const isErased = moment.erased !== undefined && isSame(left, moment);
  return {
    what: `moment ${moment.flow}/${moment.name}/${moment.number}`,
    writes: isErased ? [] : [momentErasureWrite(org, moment, left, erased)],
    objects: [],
    removed: removedOf([moment], detailsName),
  };
}
