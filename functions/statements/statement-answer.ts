import * as z from 'zod';
import type { Answer } from '#shared/http/endpoint.ts';
import { recordDiffers, recordGone, textDiffers, textMissing } from '#shared/http/sentences.ts';
import type { Services } from '#shared/http/services.ts';
import { type Envelope, envelopeOf } from '#shared/log/rules/dsse.ts';
import { NOT_COVERED, NOT_LOGGED, statementDiffers, statementErased } from '#shared/log/rules/sentences.ts';
import type { SigstoreBundle } from '#shared/log/rules/sigstore-bundle.ts';
import type { Summary } from '#shared/log/rules/verification-summary.ts';
import type { StatementPlace } from '#shared/log/statements/moment-links.ts';
import { bundleOfStatement, statementAbout } from '#shared/log/statements.ts';
import type { Uses } from '#shared/table/uses.ts';

/** The query of every statement (rules/log.md#formats-of-a-statement). */
export const FORMAT = {
  format: z
    .enum(['intoto', 'sigstore'])
    .default('intoto')
    .meta({
      description:
        '`intoto`: the signed envelope. `sigstore`: a bundle with the proof that the statement is in the log',
      override: { default: 'intoto' },
    }),
};
export type Format = z.output<typeof FORMAT.format>;

const Statement = z.custom<Envelope | SigstoreBundle>().meta({
  id: 'Statement',
  type: 'object',
  description: 'A DSSE envelope with an in-toto statement, or a sigstore bundle',
});
const Waiting = z.object({ message: z.string() }).meta({ id: 'StatementWaiting' });

/** What all endpoints of statements have in common. */
export const STATEMENT = {
  method: 'GET',
  access: 'reader',
  body: { kind: 'none' },
  description:
    'The first request makes, signs and stores the statement; later requests answer the same bytes. The answer is 202 until the log has the records that the statement rests on. A bundle is 202 until a checkpoint of the log covers the statement.',
  success: { 200: Statement, 202: Waiting },
  uses: {
    writes: ['STATEMENT', 'BODY'],
    bucket: ['bodies:read', 'bodies:write', 'log:read'],
    keys: ['statement:sign', 'log:read'],
  } satisfies Uses,
} as const;

/** Errors of every statement. */
export const STATEMENT_ERRORS = [
  ...[statementErased, statementDiffers],
  ...[recordGone, recordDiffers, textDiffers, textMissing],
];

const RETRY_AFTER = { 'retry-after': '2' };

/** @param about names the subject and its moment, in ids and numbers */
export async function statementAnswer(
  services: Services,
  { host, org }: StatementPlace,
  format: Format,
  about: readonly (string | number)[],
  summarize: () => Promise<Summary | null>,
): Promise<Answer<Envelope | SigstoreBundle | z.input<typeof Waiting>>> {
  const subject = { org: org.id, host, about: about.join('#') };
  const statement = await statementAbout(services, subject, summarize);
  if (!statement) return { status: 202, body: { message: NOT_LOGGED }, headers: RETRY_AFTER };
  const headers = { 'x-statement-id': statement.item.sk };
  if (format === 'intoto') return { status: 200, body: envelopeOf(statement), headers };
  const bundle = await bundleOfStatement(services, org.id, statement);
  if (bundle) return { status: 200, body: bundle, headers };
  return { status: 202, body: { message: NOT_COVERED }, headers: { ...headers, ...RETRY_AFTER } };
}
