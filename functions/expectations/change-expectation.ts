import type { Stores } from '#shared/bodies/stores.ts';
import { archiveExpectation as archive } from '#shared/expectations/archive-expectation.ts';
import { ExpectationRequest, givenExpectation } from '#shared/expectations/expectation-request.ts';
import {
  CHANGE_EXPECTATION,
  type ExpectationPut,
  putExpectation as put,
} from '#shared/expectations/put-expectation.ts';
import type { Expectation } from '#shared/expectations/rules/expectation.ts';
import {
  tooManyExpectations,
  tooManyFlows,
  tooManySubjects,
  unknownExpectation,
} from '#shared/expectations/rules/sentences.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import { answerWrite } from '#shared/http/written.ts';
import { ExpectationOut, expectationOut } from './expectation-forms.ts';

/** PUT /expectations/{org}: creates an expectation or adds a version (rules/expectations.md#save). */
export const putExpectation = endpoint({
  operation: 'putExpectation',
  method: 'PUT',
  path: '/expectations/{org}',
  summary: 'Create an expectation, or update it',
  description:
    'Says what has to come at least every so often. A request that changes something makes a version, which no later request changes. An archived expectation becomes active again.',
  access: 'member',
  body: { kind: 'json', schema: ExpectationRequest },
  success: { 200: ExpectationOut, 201: ExpectationOut },
  makes: { at: '/expectations/{org}/{name}', id: 'name' },
  errors: [tooManyExpectations, tooManySubjects, tooManyFlows],
  uses: CHANGE_EXPECTATION,
  handler: (request, stores: Pick<Stores, 'table' | 'clock'>) =>
    answerWrite(
      request,
      (by) => put(stores, by, givenExpectation(request.body)),
      ({ isNew, expectation }: ExpectationPut) => ({
        status: isNew ? 201 : 200,
        body: expectationOut(expectation, request),
        made: { name: expectation.name },
      }),
    ),
});

/** POST …/archive: adds an archived version, unless the expectation is archived already (rules/expectations.md#archive). */
export const archiveExpectation = endpoint({
  operation: 'archiveExpectation',
  method: 'POST',
  path: '/expectations/{org}/{name}/archive',
  summary: 'Archive an expectation',
  description: 'An archived expectation expects nothing. It keeps its name and its versions.',
  access: 'member',
  success: { 200: ExpectationOut },
  errors: [unknownExpectation],
  uses: CHANGE_EXPECTATION,
  handler: (request, stores: Pick<Stores, 'table' | 'clock'>) =>
    answerWrite(
      request,
      (by) => archive(stores, by, request.params.name),
      (archived: Expectation) => ({ status: 200, body: expectationOut(archived, request) }),
    ),
});
