import type { FlowId, OrganizationId } from '#shared/base/ids.ts';
import { randomBytes } from '#shared/base/random.ts';
import { again } from '#shared/base/retry.ts';
import { originOf } from '#shared/base/verified-identity.ts';
import type { StoredBody } from '#shared/bodies/bodies.ts';
import { type Erasure, type ErasurePlan, erasedBody, usesOf } from '#shared/bodies/erasure.ts';
import type { Item, Table, Write } from '#shared/table/table.ts';
import { momentPartition, trailHeadKey, trailPartition } from '../records/keys.ts';
import { type Moment, momentErasureWrite, readMoment } from '../records/moments.ts';
import {
  CommitItem,
  FieldsItem,
  isFields,
  isPresentFields,
  type MomentBody,
  TrailHead,
} from '../records/trail-items.ts';

/** A trail by the id of its flow. */
export interface TrailPlace {
  flow: FlowId;
  trail: string;
}

/** A trail as an erasure reads it. */
export interface ErasableTrail {
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
  const objects = [
    ...(await objectsOf(
      table,
      org,
      versions.map(({ body }) => body),
      `trail:`,
      `:${place.trail}`,
    )),
    ...(await objectsOf(
      table,
      org,
      commits.map((item) => CommitItem.parse(item).body),
      'commit:',
      '',
    )),
  ];
  return {
    what: `trail ${place.flow}/${place.trail}`,
    objects,
    writes: [
      ...(present || head.commit !== null ? [headWrite(org, place, head, digest)] : []),
      ...(present ? [fieldsWrite(present.item, present.digest, digest ?? '', erased)] : []),
      ...versions
        .filter(({ item, body }) => !isPresentFields(item) && body.store !== 'erased')
        .map(({ item, digest: own }) => fieldsWrite(item, own, replacement(), erased)),
      ...commits.map((item): Write<'again'> => ({ remove: { pk, sk: item.sk } })),
      ...moments
        .filter(({ content: { fields, commit } }) => commit !== undefined || (fields !== null && !kept.has(fields)))
        .map((moment) => {
          const { commit: _, ...rest } = moment.content;
          const fields = rest.fields !== null && kept.has(rest.fields) ? rest.fields : null;
          return momentErasureWrite(org, moment, { ...rest, fields }, erased);
        }),
    ],
  };
}

/** Stands in for the digest of an erased text. It is random, so it says nothing about the text. */
const replacement = (): string => `erased-${randomBytes(16).toString('hex')}`;

/** Replaces the digests in the head. A writer that read the old head is refused and reads again. */
const headWrite = (
  org: OrganizationId,
  { flow, trail }: TrailPlace,
  { number, fields, commit }: TrailHead,
  replaced: string | null,
): Write<'again'> => ({
  update: trailHeadKey(trailPartition(org, flow, trail)),
  UpdateExpression: 'SET #fields = :replaced, #commit = :none',
  ConditionExpression: '#number = :number AND #fields = :fields AND #commit = :commit',
  ExpressionAttributeNames: { '#number': 'number', '#fields': 'fields', '#commit': 'commit' },
  ExpressionAttributeValues: {
    ':number': number,
    ':fields': fields,
    ':commit': commit,
    ':replaced': replaced,
    ':none': null,
  },
  refused: again,
});

const fieldsWrite = ({ pk, sk }: Item, digest: string, replaced: string, erased: Erasure): Write<'again'> => ({
  update: { pk, sk },
  UpdateExpression: 'SET #digest = :replaced, #body = :erased',
  ConditionExpression: '#digest = :digest',
  ExpressionAttributeNames: { '#digest': 'digest', '#body': 'body' },
  ExpressionAttributeValues: { ':digest': digest, ':replaced': replaced, ':erased': erasedBody(erased) },
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

/**
 * Plans the erasure of what the event of a report copies from it: the file name, and the commit. If other reports of the
 * trail named the same commit, it stays, because it is not only a copy of this report's
 * (rules/erasure.md#erased-attestation).
 *
 * @param number number of the report's moment
 */
export async function planReportMoment(
  table: Table,
  org: OrganizationId,
  place: TrailPlace,
  number: number,
  erased: Erasure,
): Promise<Pick<ErasurePlan, 'writes' | 'objects'>> {
  const read = await readErasableTrail(table, org, place);
  const moment = read?.moments.find((one) => one.number === number);
  if (!read || !moment) return { writes: [], objects: [] };
  const { commit, ...rest } = moment.content;
  const isOwn = commit !== undefined && !read.moments.some((one) => one !== moment && one.content.commit === commit);
  const item = isOwn ? read.items.find(({ sk }) => sk === `C#${commit}`) : undefined;
  const text = item && CommitItem.parse(item).body;
  const body: MomentBody = { ...(isOwn ? rest : moment.content), ...withoutFilename(rest) };
  return {
    objects: text ? await objectsOf(table, org, [text], 'commit:', `:${commit}`) : [],
    writes: [
      ...(isOwn && read.head.commit === commit ? [headWrite(org, place, read.head, read.head.fields)] : []),
      ...(item ? [{ remove: { pk: item.pk, sk: item.sk } }] : []),
      ...(isSame(body, moment) ? [] : [momentErasureWrite(org, moment, body, erased)]),
    ],
  };
}

const isSame = (body: MomentBody, { content }: Moment): boolean => JSON.stringify(body) === JSON.stringify(content);

const withoutFilename = ({ show }: Pick<MomentBody, 'show'>): Pick<MomentBody, 'show'> =>
  show && 'filename' in show ? { show: { ...show, filename: '' } } : {};

/**
 * Plans the erasure of the own body of a moment: the digests of commit and fields, the name of the author and the file
 * name. Verdicts need the rest, and other records contain it (rules/erasure.md#erased-moment).
 */
export function planMoment(org: OrganizationId, moment: Moment, erased: Erasure): ErasurePlan {
  const { commit: _, ...rest } = moment.content;
  const body: MomentBody = {
    ...rest,
    fields: null,
    by: { id: rest.by.id, name: '', ...(rest.by.identity && { identity: originOf(rest.by.identity) }) },
    ...(rest.show && { show: { ...rest.show, ...('filename' in rest.show && { filename: '' }) } }),
  };
  const isErased = moment.erased !== undefined && isSame(body, moment);
  return {
    what: `moment ${moment.flow}/${moment.name}/${moment.number}`,
    writes: isErased ? [] : [momentErasureWrite(org, moment, body, erased)],
    objects: [],
  };
}
