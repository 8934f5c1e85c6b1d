import * as z from 'zod';
import { timeText } from '#shared/base/texts/instants.ts';
import { pageUrl } from '#shared/console/pages.ts';
import { explainVerdict, reasonReading } from '#shared/evaluations/explain-decisions.ts';
import { getEvaluation } from '#shared/evaluations/read-evaluations.ts';
import { quote } from '../rules/quote.ts';
import { stepRow } from '../rules/step-row.ts';
import { tool } from '../tool.ts';
import { receiptAt } from './fields.ts';

/** Explains an evaluation of a policy program (rules/agents.md#tools). */
export const explainEvaluation = tool({
  name: 'explain_evaluation',
  title: 'Why did an evaluation allow or deny?',
  description:
    'Says what a run of a policy program decided, its violations, and the line of the program where it stopped. Takes the id of the evaluation.',
  input: { evaluation: z.string().min(1).max(64).describe('Id of the evaluation') },
  access: 'reader',
  feature: 'evaluations',
  run: async ({ services, org, host }, { evaluation: id }) => {
    const read = await getEvaluation(services, org, id);
    const place = { host, org };
    const { steps, leftOut } = await explainVerdict(reasonReading(services), place, read);
    const { record, result } = read;
    const word = record.allow === null ? record.status : record.allow ? 'allowed' : 'denied';
    const violations = result?.violations ?? [];
    return {
      verdict: `The evaluation of ${timeText(record.requested)} ${record.allow === null ? `is ${word}` : word}.`,
      facts: { evaluation: record.id, decided: word, violations: violations.length },
      rows: [
        ...violations.map((text) => ({
          sentence: `Violation: ${quote(text, 400)}`,
          facts: { violation: quote(text, 400) },
        })),
        ...steps.map(stepRow),
      ],
      more: leftOut,
      ask: 'Open the page of the evaluation.',
      citations: [
        { what: 'the evaluation', url: pageUrl(place, '/{org}/evaluations/{evaluation}', { evaluation: record.id }) },
        { what: 'its receipt', url: receiptAt(place, `evaluations/${record.id}`) },
      ],
    };
  },
});
