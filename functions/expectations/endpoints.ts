import { endpointGroup } from '#shared/http/endpoint.ts';
import { archiveExpectation, putExpectation } from './change-expectation.ts';
import { dryRunExpectation } from './dry-run-expectation.ts';
import { excuseGap } from './excuse-gap.ts';
import { listExpectationSubjects } from './list-subjects.ts';
import { getExpectation, listExpectations, listExpectationVersions } from './read-expectations.ts';
import { getGap, listGaps } from './read-gaps.ts';

export const expectationsGroup = endpointGroup({
  name: 'expectations',
  owns: ['gaps'],
  about: 'What has to come at least every so often, and what did not come.',
  endpoints: [
    putExpectation,
    listExpectations,
    getExpectation,
    archiveExpectation,
    dryRunExpectation,
    listExpectationVersions,
    listExpectationSubjects,
    listGaps,
    getGap,
    excuseGap,
  ],
});
