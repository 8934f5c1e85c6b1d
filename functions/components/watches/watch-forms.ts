import * as z from 'zod';
import { secondsOrNull, toSeconds } from '#shared/base/time.ts';
import type { ListedWatch, UnreadableWatch } from '#shared/watches/read-watches.ts';
import { questionOf } from '#shared/watches/rules/asked-question.ts';
import type { Watch } from '#shared/watches/rules/watch.ts';

/** Requests and answers about watches (rules/watches.md#watch). */

const LONGEST_NAME = 255;
const LONGEST_TEXT = 1_000;
/** The beginning of the year 2000. */
const EARLIEST = 946_684_800;

const ABOUT = {
  purl: 'Package URL of the package that is asked for: with a version, or without one and with `versions`',
  versions: 'The versions that are asked for, as a range in the form of VERS',
  vulnerability: 'Name of the vulnerability that is the reason, for example its CVE. Messages name it',
  description: 'What the watch is for',
  known_since: 'Since when the organization knows, in seconds since the epoch, as a person said it',
  known_note: 'From where the organization knows it',
} as const;

export const WatchRequest = z
  .strictObject({
    purl: z
      .string()
      .min(1)
      .meta({ description: ABOUT.purl, examples: ['pkg:npm/lodash'] }),
    versions: z
      .string()
      .nullish()
      .meta({ description: ABOUT.versions, examples: ['vers:npm/<4.17.21'] }),
    vulnerability: z.string().min(1).max(LONGEST_NAME).nullish().describe(ABOUT.vulnerability),
    description: z.string().min(1).max(LONGEST_TEXT).nullish().describe(ABOUT.description),
    known_since: z
      .number()
      .min(EARLIEST)
      .nullish()
      .describe(`${ABOUT.known_since}. Not in the future. Absent = unchanged, null = nobody says it any more`),
    known_note: z
      .string()
      .min(1)
      .max(LONGEST_TEXT)
      .nullish()
      .describe(`With \`known_since\` only. ${ABOUT.known_note}`),
  })
  .meta({ id: 'WatchRequest', description: 'Replaces what is said beside the question, except `known_since`.' });

const nullableSeconds = () => z.number().nullable();

/** A watch in answers of writes (rules/watches.md#watch). */
export const SavedWatchOut = z
  .object({
    name: z.string().describe('Name of the watch'),
    purl: z.string().describe(ABOUT.purl),
    versions: z.string().nullable().describe(`${ABOUT.versions}; null if \`purl\` has a version`),
    package: z.string().describe('The package that is asked for, in canonical form'),
    vulnerability: z.string().nullable().describe(`${ABOUT.vulnerability}; null if nobody named one`),
    description: z.string().nullable().describe(`${ABOUT.description}; null without one`),
    known_since: nullableSeconds().describe(`${ABOUT.known_since}; null if nobody said it`),
    known_note: z.string().nullable().describe(`${ABOUT.known_note}; null without a note`),
    known_by: z.string().nullable().describe('Who said since when the organization knows; null if nobody did'),
    known_said_at: nullableSeconds().describe('When it was said, in seconds since the epoch; null if nobody did'),
    created_at: z.number().describe('When the record was made, in seconds since the epoch'),
    created_by: z.string().describe('Name of the user or service account that made the record'),
    changed_at: z.number().describe('When the record was changed last, in seconds since the epoch'),
    changed_by: z.string().describe('Name of the user or service account that changed it last'),
  })
  .meta({ id: 'SavedWatch' });

/** A watch with what it found. */
export const WatchOut = SavedWatchOut.extend({
  asked_at: nullableSeconds().describe(
    'When the question was last put to everything in the index, in seconds since the epoch; null if it was not answered completely yet',
  ),
  matched_at: nullableSeconds().describe(
    'When the watch matched first, in seconds since the epoch; null if it did not',
  ),
  unreadable: z.literal(true).optional().meta({
    description: 'Present in lists if the record cannot be read: then only `name` is valid.',
  }),
}).meta({ id: 'Watch' });
type WatchOut = z.input<typeof WatchOut>;

export const watchOut = ({ watch, askedAt, matchedAt }: ListedWatch): WatchOut => ({
  ...savedWatchOut(watch),
  asked_at: secondsOrNull(askedAt),
  matched_at: secondsOrNull(matchedAt),
});

export const savedWatchOut = (watch: Watch): z.input<typeof SavedWatchOut> => ({
  name: watch.name,
  purl: watch.purl,
  versions: watch.versions,
  package: questionOf(watch).package,
  vulnerability: watch.vulnerability,
  description: watch.description,
  known_since: secondsOrNull(watch.known?.at),
  known_note: watch.known?.note ?? null,
  known_by: watch.known?.by ?? null,
  known_said_at: secondsOrNull(watch.known?.saidAt),
  created_at: toSeconds(watch.createdAt),
  created_by: watch.createdBy,
  changed_at: toSeconds(watch.changedAt),
  changed_by: watch.changedBy,
});

/** The placeholder for a watch that cannot be read (rules/lists.md#unreadable-records). */
export const unreadableWatch = ({ name }: UnreadableWatch): WatchOut => ({
  name,
  purl: '',
  versions: null,
  package: '',
  vulnerability: null,
  description: null,
  known_since: null,
  known_note: null,
  known_by: null,
  known_said_at: null,
  asked_at: null,
  matched_at: null,
  created_at: 0,
  created_by: '',
  changed_at: 0,
  changed_by: '',
  unreadable: true,
});
