import * as z from 'zod';
import { recordGone } from '#shared/base/proofs/record-gone.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import type { Answer } from '#shared/http/request.ts';
import { secondsUntilCovered } from '#shared/log/receipts/ask-again.ts';
import type { Envelope } from '#shared/log/rules/dsse.ts';
import {
  NOT_COVERED,
  NOT_LOGGED,
  recordDiffers,
  statementDiffers,
  statementErased,
  textDiffers,
  textMissing,
} from '#shared/log/rules/sentences.ts';
import type { SigstoreBundle } from '#shared/log/rules/sigstore-bundle.ts';
import { STATE, type Stated } from '#shared/log/statements/statements.ts';

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

const Statement = z.custom<Envelope | SigstoreBundle>().meta({
  id: 'Statement',
  type: 'object',
  description: 'A DSSE envelope with an in-toto statement, or a sigstore bundle',
});
const Waiting = z.object({ message: z.string().describe('The message') }).meta({ id: 'StatementWaiting' });

/** What all endpoints of statements have in common. */
export const STATEMENT = {
  method: 'GET',
  access: 'reader',
  description:
    'The first request makes, signs and stores the statement; later requests answer the same bytes. The answer is 202 until the log has the records that the statement rests on. A bundle is 202 until a checkpoint of the log covers the statement.',
  success: { 200: Statement, 202: Waiting },
  uses: STATE,
} as const;

/** Errors of every statement. */
export const STATEMENT_ERRORS = [
  ...[statementErased, statementDiffers],
  ...[recordGone, recordDiffers, textDiffers, textMissing],
];

/** Answers a statement, or 202 while the log lacks what it needs. */
export async function statementAnswer(
  stores: Pick<Stores, 'table' | 'clock'>,
  stated: Stated,
): Promise<Answer<Envelope | SigstoreBundle | z.input<typeof Waiting>>> {
  if (stated.outcome === 'stated') {
    return { status: 200, body: stated.document, headers: { 'x-statement-id': stated.id } };
  }
  const headers = { 'retry-after': `${await secondsUntilCovered(stores)}` };
  return stated.outcome === 'not logged'
    ? { status: 202, body: { message: NOT_LOGGED }, headers }
    : { status: 202, body: { message: NOT_COVERED }, headers: { ...headers, 'x-statement-id': stated.id } };
}
