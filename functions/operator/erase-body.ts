import * as z from 'zod';
import { AnyFlowName, AnyTrailName } from '#shared/base/names.ts';
import {
  type ErasedBody,
  type ErasureRefusal,
  eraseBody as erase,
  type NamedRecord,
} from '#shared/exports/erasure/erase-body.ts';
import { placesLeft } from '#shared/exports/rules/erasure-places.ts';
import { command, done, type OperatorResult, refused } from './command.ts';

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
// `Object.keys` returns plain texts, and does not say that there are some.
const KINDS = Object.keys(FIELDS) as [Kind, ...Kind[]];
const LONGEST_REASON = 256;
/** Names that a sentence lists at most. */
const NAMED = 10;

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
    const { organization, kind, reason, all_uses: allUses } = input;
    const org = await services.directory.organization(organization);
    if (!org) return refused(`There is no organization '${organization}'`);
    const record = recordOf(input);
    if (record === null) return refused(`The kind ${kind} needs the fields ${FIELDS[kind].join(', ')}, and no others`);
    const outcome = await erase(services, org.id, record, { reason, allUses });
    return 'refused' in outcome ? refused(refusalSentence(outcome, organization)) : answer(kind, outcome);
  },
});

/** @returns null if a field is missing or does not belong to the kind */
function recordOf({
  kind,
  id = '',
  file = '',
  flow = '',
  trail = '',
  number = 0,
}: z.output<typeof Input>): NamedRecord | null {
  const wanted: readonly string[] = FIELDS[kind];
  const given = Object.entries({ id, file, flow, trail, number });
  if (given.some(([field, value]) => wanted.includes(field) === (value === '' || value === 0))) return null;
  switch (kind) {
    case 'attachment':
      return { kind, id, file };
    case 'trail':
      return { kind, flow: AnyFlowName.parse(flow), trail: AnyTrailName.parse(trail) };
    case 'moment':
      return { kind, flow: AnyFlowName.parse(flow), trail: AnyTrailName.parse(trail), number };
    case 'flow':
      return { kind, flow: AnyFlowName.parse(flow) };
    default:
      return { kind, id };
  }
}

function refusalSentence(refusal: ErasureRefusal, organization: string): string {
  switch (refusal.refused) {
    case 'no flow':
      return `There is no flow '${refusal.flow}' in '${organization}'`;
    case 'no record':
      return 'There is no such record in the organization';
    case 'pending':
      return 'The evaluation is pending. Repeat the command when the evaluation has ended';
    case 'other uses':
      return `Other records use the same content: ${listed(refusal.users)}. To erase it in all of them, give --all-uses`;
    case 'not erasable':
      return `The content is also used by ${refusal.user}, which no command erases`;
    case 'template':
      return 'The text is also a template. Templates cannot be erased';
    case 'fresh':
      return 'The content was stored less than a minute ago. Repeat the command in a minute';
  }
}

const listed = (names: readonly string[]): string =>
  names.length > NAMED ? `${names.slice(0, NAMED).join(', ')} and ${names.length - NAMED} more` : names.join(', ');

function answer(kind: Kind, { erased, records, pending, removals, exports }: ErasedBody): OperatorResult {
  const { versions, locked, used } = removals;
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
    not_reached: placesLeft(kind, erased.at),
  });
}
