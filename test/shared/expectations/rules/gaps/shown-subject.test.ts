import { expect, it } from 'vitest';
import type { GapSubject } from '#shared/expectations/rules/gaps/gap.ts';
import { shownSubject } from '#shared/expectations/rules/gaps/shown-subject.ts';
import { testName } from '#test/support/ids.ts';

const flow = { id: 'flow-1', name: testName('web') };
const environment = { id: 'environment-1', name: testName('prod') };

// Ids are brands of texts, and none of them is shown.
it.each([
  [
    { type: 'environment', ...environment },
    { type: 'environment', environment: 'prod' },
  ],
  [
    { type: 'flow', ...flow },
    { type: 'flow', flow: 'web' },
  ],
  [{ type: 'scope' }, { type: 'scope' }],
  [
    { type: 'trail', flow, id: 'trail-1', name: testName('run') },
    { type: 'trail', flow: 'web', trail: 'run' },
  ],
  [
    { type: 'artifact', environment, fingerprint: 'ab', name: 'app' },
    { type: 'artifact', environment: 'prod', fingerprint: 'ab', name: 'app' },
  ],
])('a subject is shown by its names: %j', (subject, shown) => {
  expect(shownSubject(subject as unknown as GapSubject)).toEqual(shown);
});
