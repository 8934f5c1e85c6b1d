import { expect, it } from 'vitest';
import { artifactSentence } from '#console/release/model/artifact.ts';
import type { Artifact } from '#console/release/operations.ts';
import { shortName } from '#shared/base/reasons/artifact-name.ts';

it('the name of an image is short', () => {
  expect(shortName('registry.example.com/team/app:1.2@sha256:abc')).toBe('app:1.2');
  expect(shortName('app/')).toBe('app/'.split('/').at(-1) || 'app/');
});

it('the sentence of an artifact names its trail and where it runs', () => {
  const artifact = { state: 'INCOMPLETE', trail_name: 'r1', flow_name: 'web', running: [{ environment_name: 'prod' }] };
  expect(artifactSentence(artifact as unknown as Artifact)).toBe(
    'Incomplete: evidence is missing in trail r1 of web. It runs in prod.',
  );
});
