import { endpointGroup } from '#shared/http/endpoint.ts';
import { archiveExpectation, putExpectation } from './change-expectation.ts';
import { listExpectationSubjects } from './list-subjects.ts';
import { getExpectation, listExpectations, listExpectationVersions } from './read-expectations.ts';

export const expectationsGroup = endpointGroup({
  name: 'expectations',
  about: 'What has to come at least every so often, and what did not come.',
  endpoints: [
    putExpectation,
    listExpectations,
    getExpectation,
    archiveExpectation,
    listExpectationVersions,
    listExpectationSubjects,
  ],
});
