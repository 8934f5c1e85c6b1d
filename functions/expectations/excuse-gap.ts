import * as z from 'zod';
import type { Stores } from '#shared/bodies/stores.ts';
import { EXCUSE_GAP, excuseGap as excuse } from '#shared/expectations/gaps/excuse-gap.ts';
import type { Gap } from '#shared/expectations/rules/gaps/gap.ts';
import { excusedBefore, nothingToExcuse, unknownGap } from '#shared/expectations/rules/sentences.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import { answerWrite } from '#shared/http/written.ts';
import { GapOut, gapOut } from './gap-forms.ts';

const LONGEST_EXCUSE = 1_000;

const GapExcuse = z
  .object({
    text: z.string().trim().min(1).max(LONGEST_EXCUSE).describe('Why nobody has to worry, 1 to 1000 characters'),
  })
  .meta({ id: 'GapExcuse' });

/** POST …/excuse: explains a gap (rules/expectations.md#excuse). */
export const excuseGap = endpoint({
  operation: 'excuseGap',
  method: 'POST',
  path: '/gaps/{org}/{gap_id}/excuse',
  summary: 'Excuse a gap: say why nobody has to worry',
  description: 'The interval stays as it is. Gaps that last and gaps that ended can be excused, once.',
  access: 'member',
  body: { kind: 'json', schema: GapExcuse },
  success: { 200: GapOut },
  errors: [unknownGap, excusedBefore, nothingToExcuse],
  uses: EXCUSE_GAP,
  handler: (request, stores: Pick<Stores, 'table' | 'clock'>) =>
    answerWrite(
      request,
      (by) => excuse(stores, by, request.params.gap_id, request.body.text),
      (gap: Gap) => ({ status: 200, body: gapOut(gap, request) }),
    ),
});
