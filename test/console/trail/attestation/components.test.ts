import { expect, it } from 'vitest';
import { componentFacts, componentsSentence } from '#console/trail/attestation/model/components.ts';

const unknown = { count: null, format: null, why: null };

it('says whether the components of an attestation are known', () => {
  const read = { state: 'read', count: 1_204, format: 'cyclonedx-1.6', why: null } as const;
  expect(componentsSentence(read)).toBe('1,204 components, as cyclonedx-1.6 lists them.');
  expect(componentsSentence({ ...read, count: 1, format: null })).toBe('1 component, as the file lists them.');
  expect(componentsSentence({ ...unknown, state: 'pending' })).toContain('has not read the file yet');
  expect(componentsSentence({ ...unknown, state: 'unreadable', why: 'the file is UTF-16' })).toBe(
    'The SBOM cannot be read, so nobody knows the components: the file is UTF-16',
  );
  expect(componentsSentence({ ...unknown, state: 'unreadable' })).toMatch(/components\.$/);
  expect(componentsSentence({ ...unknown, state: 'erased' })).toContain('was erased');
});

it('says the version of a component, and how deep it is', () => {
  expect(componentFacts({ version: '1.0', depth: 'direct' })).toBe('1.0, direct');
  expect(componentFacts({ version: null, depth: null })).toBe('no version');
});
