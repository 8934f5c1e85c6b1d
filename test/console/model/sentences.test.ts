import { describe, expect, it } from 'vitest';
import type { Artifact } from '#console/client/flows.ts';
import type { Found } from '#console/client/search.ts';
import type { Trail } from '#console/client/trails.ts';
import { artifactSentence } from '#console/model/artifact.ts';
import { findingsOf } from '#console/model/attestation.ts';
import { commandsFor } from '#console/model/commands.ts';
import { shortName } from '#console/model/environment.ts';
import { foundChoices, knownChoices, withoutDoubles } from '#console/model/palette.ts';
import { eventLines, momentText } from '#console/model/trail-events.ts';

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

describe('a command for what is missing', () => {
  const place = { host: 'https://e.example', org: 'demo', flow: 'web', trail: 'r 1' };
  const texts = (scope: string | null, name: string | null, type: string, fingerprint: string | null = null) =>
    commandsFor({ scope, name, type, fingerprint }, place).map(({ text }) => text.replaceAll(' \\\n ', ''));

  it('reports to the trail', () => {
    expect(texts(null, 'review', 'generic')).toEqual([
      `kosli attest generic --name review --flow web --trail 'r 1' --org demo --host https://e.example --api-token "$KEY"`,
      `curl -X POST https://e.example/api/v2/attestations/demo/web/trail/r%201/generic -H "Authorization: Bearer $KEY" -H 'Content-Type: application/json' -d '{"attestation_name":"review","is_compliant":true}'`,
    ]);
  });

  it('names the fingerprint of an artifact, or the artifact and a commit before it is reported', () => {
    expect(texts('app', 'sbom', '*', 'abc')[0]).toContain('--name sbom --fingerprint abc');
    expect(texts('app', 'sbom', '*')[0]).toContain('--name app.sbom --commit COMMIT');
  });

  it('names what each type needs', () => {
    expect(texts(null, 'unit', 'junit')).toHaveLength(1);
    expect(texts(null, 'unit', 'junit')[0]).toContain('--results-dir FOLDER');
    expect(texts(null, 'c', 'custom:cov')[0]).toContain('attest custom --name c --type cov --attestation-data FILE');
    expect(texts('app', null, 'artifact')[0]).toContain('attest artifact FILE_OR_IMAGE --name app');
  });
});

describe('events of a trail', () => {
  it('are lines, the newest first; unknown kinds keep their names', () => {
    const events = [
      { type: 'trail_reported', timestamp: 1 },
      { type: 'artifact_started_running', timestamp: 2, environment_name: 'prod', snapshot_index: 3 },
      {
        type: 'trail_attestation_reported',
        timestamp: 3,
        is_compliant: false,
        attestation_id: 'x',
        template_reference_name: 'lint',
      },
      { type: 'something_new', timestamp: 4 },
    ];
    const lines = eventLines({ events } as unknown as Trail);
    expect(lines.map(({ verb, subject, state }) => [verb, subject, state])).toEqual([
      ['something new', '', null],
      ['Attested', 'lint', 'non-compliant'],
      ['Started', '', null],
      ['Began', 'the trail', null],
    ]);
    expect(lines[2]?.environment).toEqual({ name: 'prod', snapshot: 3 });
  });

  it('moments are told by what they are about', () => {
    const moment = { kind: 'trail_updated', artifact: null, attestation: null, changes: ['description'] };
    expect(momentText(moment as never)).toBe('Updated description');
    expect(momentText({ ...moment, kind: 'trail_reported' } as never)).toBe('Began the trail');
    const attestation = {
      attestation_name: 'a',
      attestation_type: 'override',
      is_compliant: true,
      target_artifacts: ['app'],
    };
    expect(momentText({ ...moment, attestation } as never)).toBe('Overrode a of app: compliant');
  });
});

it('findings are the fields that only the type has, without empty ones', () => {
  const attestation = {
    attestation_id: 'x',
    user_data: {},
    junit_results: [{ tests: 3 }],
    severity: 'high',
    empty: [],
  };
  expect(findingsOf(attestation as never).map(({ label, text }) => [label, text])).toEqual([
    ['junit results', null],
    ['severity', 'high'],
  ]);
});

describe('choices of the palette', () => {
  it('are names that have the text in them, those that begin with it first', () => {
    const known = knownChoices('demo', 'PRO', ['approvals'], ['eu-prod', 'prod']);
    expect(known.map(({ label, hint }) => `${label} ${hint}`)).toEqual([
      'prod environment',
      'eu-prod environment',
      'approvals flow',
    ]);
    expect(knownChoices('demo', '', ['a'], [])).toEqual([]);
  });

  it('lead to the same place once', () => {
    const none = { items: [], more: false };
    const all = {
      artifacts: none,
      commits: none,
      commit_reports: none,
      trails: none,
      environments: none,
      policies: none,
      controls: none,
      repos: none,
    };
    const found = { ...all, flows: { items: [{ name: 'web' }], more: false } } as unknown as Found;
    const choices = [...knownChoices('demo', 'web', ['web'], []), ...foundChoices('demo', found)];
    expect(choices).toHaveLength(2);
    expect(withoutDoubles(choices)).toHaveLength(1);
  });
});
