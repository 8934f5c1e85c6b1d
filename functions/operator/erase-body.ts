import * as z from 'zod';
import { AnyFlowName } from '#shared/base/names.ts';
import { findFlow } from '#shared/evidence/records/flows.ts';
import { eraseExports, type RemovedExports } from '#shared/exports/erase-exports.ts';
import { type CommandServices, command, done, type OperatorResult, refused } from './command.ts';
import { eraseInTable, findScope, removeObjects } from './erasure/erase.ts';
import { placesLeft } from './erasure/places.ts';
import type { Subject } from './erasure/subjects.ts';

/** What an operator can name. Each kind needs the fields in its list (rules/erasure.md#erase-body). */
const FIELDS = {
  attachment: ['id', 'file'],
  attestation: ['id'],
  artifact: ['id'],
  trail: ['flow', 'trail'],
  moment: ['flow', 'trail', 'number'],
  flow: ['flow'],
  evaluation: ['id'],
  statement: ['id'],
  'audit-entry': ['id'],
} as const;
type Kind = keyof typeof FIELDS;
const KINDS = Object.keys(FIELDS) as [Kind, ...Kind[]];
const LONGEST_REASON = 256;

const Input = z.strictObject({
  organization: z.string(),
  kind: z.enum(KINDS),
  id: z.string().optional(),
  file: z.string().optional(),
  flow: z.string().optional(),
  trail: z.string().optional(),
  number: z.int().min(1).optional(),
  /** Kept and shown to readers, so it must not repeat what is erased. */
  reason: z.string().trim().min(1).max(LONGEST_REASON),
  all_uses: z.boolean().default(false),
});

/**
 * Erases the text or the file of one record with all its copies (rules/erasure.md#erase-body). Repeating the command
 * finishes what an interrupted one began.
 */
export const eraseBody = command({
  name: 'erase-body',
  schema: Input,
  run: async (input, services) => {
    const { organization, reason, all_uses: allUses } = input;
    const org = await services.directory.organization(organization);
    if (!org) return refused(`There is no organization '${organization}'`);
    const target = await subjectOf(input, org.id, services);
    if (typeof target === 'string') return refused(target);
    const erased = { at: services.clock.now(), reason };
    const scope = await findScope(services, org.id, target, { allUses, erased });
    if (typeof scope === 'string') return refused(scope);
    const records: string[] = [];
    for (const subject of scope.subjects) {
      const what = await eraseInTable(services, org.id, subject, erased);
      if (what !== null) records.push(what);
    }
    const removals = await removeObjects(services, org.id);
    // Last: an export that starts now finds the texts neither in the table nor in the bucket.
    return answer(
      placesLeft(input.kind, erased.at),
      records,
      scope.pending,
      removals,
      await eraseExports(services, org.id),
    );
  },
});

function answer(
  places: readonly string[],
  records: readonly string[],
  pending: readonly string[],
  { versions, locked, used }: Awaited<ReturnType<typeof removeObjects>>,
  exports: RemovedExports,
): OperatorResult {
  const message =
    records.length === 0
      ? 'Nothing was left to erase in the table'
      : `Erased ${records.length === 1 ? 'one record' : `${records.length} records`}`;
  const lockedObjects = [...locked, ...exports.locked];
  const more = [
    ...(exports.exports > 0
      ? [`Removed ${exports.exports === 1 ? 'one export' : `${exports.exports} exports`} that could hold the text`]
      : []),
    ...(pending.length > 0 ? ['Evaluations are pending. Repeat the command in 15 minutes'] : []),
    ...(lockedObjects.length > 0
      ? ['Object Lock keeps versions of objects. Repeat the command when the locks have ended']
      : []),
    ...(used.length > 0 ? ['Records use the content again. Erase these records as well'] : []),
  ];
  return done([message, ...more].join('. '), {
    records,
    removed_versions: versions,
    removed_exports: exports.exports,
    pending_evaluations: pending,
    locked_objects: lockedObjects,
    used_objects: used,
    not_reached: places,
  });
}

/** @returns a sentence if a field is missing or does not belong to the kind, or if there is no such flow */
async function subjectOf(
  { kind, id = '', file = '', flow = '', trail = '', number = 0, ...input }: z.output<typeof Input>,
  org: Parameters<typeof findFlow>[1],
  { table }: CommandServices,
): Promise<Subject | string> {
  const given = { id, file, flow, trail, number };
  const wanted: readonly string[] = FIELDS[kind];
  for (const [field, value] of Object.entries(given)) {
    if (wanted.includes(field) === (value === '' || value === 0)) {
      return `The kind ${kind} needs the fields ${wanted.join(', ')}, and no others`;
    }
  }
  if (kind === 'attachment') return { kind, id, file: { name: file } };
  if (kind !== 'trail' && kind !== 'moment' && kind !== 'flow') return { kind, id };
  const head = await findFlow(table, org, AnyFlowName.parse(flow));
  if (!head) return `There is no flow '${flow}' in '${input.organization}'`;
  if (kind === 'flow') return { kind, flow: head.id };
  return kind === 'trail' ? { kind, flow: head.id, trail } : { kind, flow: head.id, trail, number };
}
