import * as z from 'zod';
import { invalid } from '#shared/base/errors.ts';
import { noErrors, refuseIfAny, validate } from '#shared/base/validation.ts';
import { pageUrl } from '#shared/console/pages.ts';
import { ExpectationRequest, givenExpectation } from '#shared/expectations/expectation-request.ts';
import {
  checkExpectation,
  type ExpectationPut,
  putExpectation,
  termsOut,
} from '#shared/expectations/put-expectation.ts';
import { changesBetween, draftKind } from '../draft-kind.ts';

const { every, grace, due_soon, ...others } = ExpectationRequest.shape;
const text = z.string().max(100);

/** What an agent gives: the body of the endpoint, with durations as texts. {@link readTerms} reads them. */
export const ExpectationDraft = z.strictObject({
  ...others,
  every: text.describe(every.description ?? ''),
  grace: text.optional().describe(grace.description ?? ''),
  due_soon: text.optional().describe(due_soon.description ?? ''),
});

/** An expectation (rules/expectations.md#save). */
export const expectationDraft = draftKind<z.output<typeof ExpectationDraft>>({
  words: 'an expectation',
  schema: ExpectationDraft,
  subjectOf: ({ name }) => name,
  callOf: (org, body) => ({ method: 'PUT', path: `/expectations/${org.name}`, body }),
  look: async ({ table }, by, asked) => {
    const { before, terms } = await checkExpectation(table, by, readTerms(asked));
    const [present, proposed] = [before ? termsOut(before) : {}, termsOut(terms)];
    return { basis: String(before?.version ?? 0), changes: changesBetween(present, proposed) };
  },
  write: async (stores, by, asked, basis) => {
    const claim = ({ expectation: { name, version } }: ExpectationPut) =>
      by.claim({ type: 'expectation', name, version });
    await putExpectation(stores, { ...by, claim }, { ...readTerms(asked), follows: Number(basis) });
  },
  pageOf: (at, { name }) => pageUrl(at, '/{org}/expectations/{expectation}', { expectation: name }),
});

/** @throws ServiceError `invalid` with a text for each field that the endpoint would refuse */
function readTerms(asked: z.output<typeof ExpectationDraft>) {
  const errors = noErrors();
  const read = validate(ExpectationRequest, asked, { whole: 'expectation' }, errors);
  refuseIfAny(errors);
  if (!read) throw invalid({});
  return givenExpectation(read);
}
