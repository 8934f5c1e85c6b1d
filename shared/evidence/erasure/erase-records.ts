import type { OrganizationId } from '#shared/base/ids.ts';
import { again } from '#shared/base/retry.ts';
import { erasedBody, erasedObjects } from '#shared/bodies/erased-bodies.ts';
import type { Erasure, ErasurePlan } from '#shared/bodies/erasure.ts';
import { change, different, equal } from '#shared/table/expressions.ts';
import type { Table, Write } from '#shared/table/table.ts';
import type { ArtifactRecord } from '../records/artifact-records.ts';
import type { AttachmentFile, AttestationRecord } from '../records/attestation-records.ts';
import { artifactKey, attestationKey } from '../records/keys.ts';
import { readMoments } from '../records/moments.ts';
import { withoutFindings } from '../rules/record-text.ts';
import { hashOf, planReportMoment } from './erase-trail.ts';

/**
 * Plans the erasure of what an attestation reported: its facts, what rules said about them, and the commit of its event
 * (rules/erasure.md#erased-attestation).
 */
export async function planAttestation(
  table: Table,
  org: OrganizationId,
  record: AttestationRecord,
  erased: Erasure,
): Promise<ErasurePlan> {
  const { id, facts, derived, findingsSalt } = record;
  const what = `attestation ${id}`;
  if (facts.store === 'erased') return { what, writes: [], objects: [] };
  const moment = await planReportMoment(table, org, record, record.number, erased);
  return {
    what,
    writes: [
      {
        update: attestationKey(org, id),
        ...change(
          { set: { facts: erasedBody(erased), derived: withoutFindings(derived) }, remove: ['findingsSalt'] },
          different({ 'facts.store': 'erased' }),
        ),
        refused: again,
      },
      ...moment.writes,
    ],
    objects: [...erasedObjects([facts], `attestation:${id}`), ...moment.objects],
    removed: { [moment.hash]: ['facts', ...(findingsSalt ? ['findings'] : []), ...moment.removed] },
  };
}

/**
 * Plans the erasure of files of an attestation (rules/erasure.md#erased-attachment). Files with the same content are one
 * object, so all of them are erased.
 *
 * @param isMeant whether a file is to be erased
 */
export async function planAttachments(
  table: Table,
  org: OrganizationId,
  { id, files, flow, trail, number }: AttestationRecord,
  isMeant: (file: AttachmentFile) => boolean,
  erased: Erasure,
): Promise<ErasurePlan> {
  const digests = new Set(files.filter((file) => !file.erased && isMeant(file)).map(({ sha256 }) => sha256));
  const places = files.flatMap((file, place) => (digests.has(file.sha256) && !file.erased ? [place] : []));
  const erasedFile = (place: number) => {
    const { salt: _, ...kept } = files[place] ?? {};
    return { ...kept, sha256: '', version: null, erased };
  };
  const update: Write<'again'> = {
    update: attestationKey(org, id),
    ...change(
      { set: Object.fromEntries(places.map((place) => [`files[${place}]`, erasedFile(place)])) },
      equal(Object.fromEntries(places.map((place) => [`files[${place}].sha256`, files[place]?.sha256]))),
    ),
    refused: again,
  };
  const [moment] = await readMoments(table, org, flow, trail, { from: number, to: number });
  if (!moment) throw new Error(`The trail ${flow}/${trail} has no moment ${number}`);
  return {
    what: `attachments ${places.join(', ')} of attestation ${id}`,
    writes: places.length > 0 ? [update] : [],
    objects: [...digests].map((sha256) => ({ prefix: 'evidence', sha256, user: id })),
    removed: places.length > 0 ? { [hashOf(moment)]: places.map((place) => `file:${place}`) } : {},
  };
}

/**
 * Plans the erasure of what a report of an artifact said: its facts, the file name and the commit in its event
 * (rules/erasure.md#erased-artifact-report).
 */
export async function planArtifact(
  table: Table,
  org: OrganizationId,
  record: ArtifactRecord,
  erased: Erasure,
): Promise<ErasurePlan> {
  const { id, facts } = record;
  const what = `artifact report ${id}`;
  if (facts.store === 'erased') return { what, writes: [], objects: [] };
  const moment = await planReportMoment(table, org, record, record.number, erased);
  return {
    what,
    writes: [
      {
        update: artifactKey(org, id),
        ...change({ set: { facts: erasedBody(erased) } }, different({ 'facts.store': 'erased' })),
        refused: again,
      },
      ...moment.writes,
    ],
    objects: [...erasedObjects([facts], `artifact:${id}`), ...moment.objects],
    removed: { [moment.hash]: ['facts', ...moment.removed] },
  };
}
