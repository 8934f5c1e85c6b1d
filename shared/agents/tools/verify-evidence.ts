import * as z from 'zod';
import { absolute, BASE_PATH } from '#shared/base/addresses.ts';
import { invalid } from '#shared/base/errors.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import type { DescribeServices } from '#shared/log/read-log.ts';
import { type Verification, verifyDocument } from '#shared/log/verify-document.ts';
import { readReceiptAt } from '../receipt-at.ts';
import { quote } from '../rules/quote.ts';
import type { AnswerRow, ToolAnswer } from '../rules/tool-answer.ts';
import { type ToolContext, tool } from '../tool.ts';

/** Longest document, in characters. A message of an agent has at most 256 KB. */
const LONGEST_DOCUMENT = 200_000;
/** Characters of a refusal that are shown. */
const LONGEST_REFUSAL = 400;

const WORDS = { receipt: 'receipt', bundle: 'statement', envelope: 'statement' } as const;
const HOW_TO =
  'This service verified it with its own keys. To depend on nothing that it says, run `npm run verify` with a key that you kept.';

/** Verifies a receipt or a statement (rules/agents.md#tools). */
export const verifyEvidence = tool({
  name: 'verify_evidence',
  title: 'Does this receipt or statement hold?',
  description:
    'Verifies a receipt (JSON or text) or a signed statement (JSON) of the organization, passed as it is, or the receipt at an address: what holds, what does not, and what it does not prove. Take addresses from citations of other answers.',
  input: {
    document: z
      .string()
      .min(1)
      .max(LONGEST_DOCUMENT)
      .optional()
      .describe('The receipt or the statement, unchanged. Either this or the address'),
    address: z.string().min(1).max(2_000).optional().describe('Address of a receipt of this service'),
  },
  access: 'reader',
  run: async (
    { services, org, role, host }: ToolContext<Stores & DescribeServices>,
    { document, address },
  ): Promise<ToolAnswer> => {
    const isOne = (document === undefined) !== (address === undefined);
    if (!isOne) throw invalid({ document: 'Send either a document or an address' });
    const log = absolute(host, `${BASE_PATH}/log/${org.name}`);
    const citations = [{ what: 'the keys of the log', url: log }];
    const given = document ?? (await readReceiptAt(services, { org, role, host }, address ?? ''));
    if (given === null) {
      const verdict = 'No checkpoint of the log covers this record yet. Ask again in a minute.';
      return { verdict, facts: { holds: null }, rows: [], citations };
    }
    return answerOf(await verifyDocument(services, org, { document: given, address: log }), citations);
  },
});

function answerOf(verification: Verification, citations: ToolAnswer['citations']): ToolAnswer {
  const what = WORDS[verification.kind];
  if ('fault' in verification) {
    const wrong = quote(verification.fault, LONGEST_REFUSAL);
    return { verdict: `The ${what} does not hold: ${wrong}.`, facts: { holds: false, wrong }, rows: [], citations };
  }
  const { counts, exceptions } = verification;
  // Names and texts of the document are among them.
  const proved = Object.entries(counts).map(
    ([label, value]): AnswerRow => ({
      sentence: `${label.replaceAll("'", '')}: ${shown(value)}`,
      facts: { what: label.replaceAll("'", ''), is: shown(value) },
    }),
  );
  const open = exceptions.map(
    (text): AnswerRow => ({ sentence: `not proved: ${quote(text)}`, facts: { not_proved: quote(text) } }),
  );
  return {
    verdict: `The ${what} holds${exceptions.length > 0 ? ', except for what is not proved' : ''}. ${HOW_TO}`,
    facts: { holds: true, kind: verification.kind },
    rows: [...open, ...proved],
    citations,
  };
}

const shown = (value: string | number): string | number => (typeof value === 'number' ? value : quote(value));
