import * as z from 'zod';
import { invalid } from '#shared/base/errors.ts';
import { lastMicrosTo, type Micros } from '#shared/base/time.ts';
import { type FieldErrors, invalidField } from '#shared/base/validation.ts';
import {
  type Asked,
  type PackageQuestion,
  packageQuestion,
  parseQuestion,
  type Question,
} from '#shared/components/rules/question.ts';
import { cursorFields, integerField, numberField } from '#shared/http/query-fields.ts';

/** The parameters of a question about components (rules/components.md#questions). */

const PAGE = { size: 50, largest: 100 };

export const questionFields = {
  purl: z
    .string()
    .optional()
    .meta({
      description:
        'Package URL: with a version, which is then asked about, or without one. Qualifiers that it names, components have to have',
      examples: ['pkg:npm/lodash'],
    }),
  versions: z
    .string()
    .optional()
    .meta({
      description: 'The versions that are asked about, as a range in the form of VERS. `vers:npm/*` has all versions',
      examples: ['vers:npm/<4.17.21'],
    }),
};

/** Longest name of a vulnerability. Longer ones are in no statement. */
const LONGEST_NAME = 100;

/** The parameter of questions about exposure (rules/components.md#statements-that-count). */
export const vulnerabilityField = {
  vulnerability: z
    .string()
    .trim()
    .min(1)
    .max(LONGEST_NAME)
    .optional()
    .meta({
      description:
        'One of the names of a vulnerability, in upper or lower case. Only statements about it count, also those about the whole artifact. Without it, statements about the package count, of whatever vulnerability',
      examples: ['CVE-2021-23337'],
    }),
};

export const instantAndPage = (noun: string) => ({
  at: numberField().optional().meta({
    description: 'The question is answered as of this instant, in seconds since the epoch. The default is now',
  }),
  cursor: cursorFields(noun).cursor,
  per_page: integerField({ min: 1, max: PAGE.largest })
    .default(PAGE.size)
    .meta({ description: `${noun} that the page looks at`, override: { default: PAGE.size } }),
});

/** Reads the question. @throws ServiceError 400 with each problem under its parameter */
export const questionIn = (asked: Asked): Question => readable(parseQuestion(asked));

/** Reads a question about a package. @throws ServiceError 400 as {@link questionIn} */
export function packageQuestionIn({ purl, versions }: Omit<Asked, 'name'>): PackageQuestion {
  if (purl === undefined) throw invalidField('query.purl', 'Field required', undefined);
  return readable(packageQuestion(purl, versions));
}

function readable<Q extends Question>(read: { question: Q } | { errors: FieldErrors }): Q {
  if ('question' in read) return read.question;
  throw invalid(Object.fromEntries(Object.entries(read.errors).map(([field, text]) => [`query.${field}`, text])));
}

/**
 * Returns the instant that is asked about. @throws ServiceError 400 for an instant in the future: nobody knows what will run
 */
export function instantIn({ at }: { at?: number | undefined }, now: Micros): Micros {
  if (at === undefined) return now;
  const asOf = lastMicrosTo(at);
  if (asOf > now) throw invalidField('query.at', 'Input should not be in the future', at);
  return asOf;
}

/** What of the question distinguishes it from others, for cursors. */
export const questionText = ({
  purl,
  versions,
  at,
  vulnerability,
}: Asked & { at?: number | undefined; vulnerability?: string | undefined }): string =>
  JSON.stringify([purl ?? null, versions ?? null, at ?? null, ...(vulnerability === undefined ? [] : [vulnerability])]);
