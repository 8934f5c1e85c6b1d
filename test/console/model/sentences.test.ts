import { describe, expect, it } from 'vitest';
import type { Environment, Snapshot } from '#functions/console/app/client/environments.ts';
import type { Artifact } from '#functions/console/app/client/flows.ts';
import type { Found } from '#functions/console/app/client/search.ts';
import type { Trail } from '#functions/console/app/client/trails.ts';
import { artifactSentence } from '#functions/console/app/model/artifact.ts';
import { findingsOf } from '#functions/console/app/model/attestation.ts';
import { commandsFor } from '#functions/console/app/model/commands.ts';
import {
  environmentSentence,
  shortName,
  snapshotSentence,
  stateOfArtifact,
} from '#functions/console/app/model/environment.ts';
import { homeSentence, needsFirst } from '#functions/console/app/model/home.ts';
import { foundChoices, knownChoices, withoutDoubles } from '#functions/console/app/model/palette.ts';
import { eventLines, momentText } from '#functions/console/app/model/trail-events.ts';

type Row = Snapshot['artifacts'][number];

const row = (name: string, compliant: boolean | null, reasons: string[] = []): Row =>
  ({
    name,
    compliant,
    reasons_for_incompliance: reasons,
    annotation: { now: 1 },
    policy_decisions: [],
  }) as unknown as Row;
const snapshot = (...artifacts: Row[]): Snapshot => ({ artifacts, timestamp: 1000 }) as unknown as Snapshot;

describe('the sentence of a snapshot', () => {
  it.each<[string, Row[]]>([
    ['Nothing runs here.', []],
    ['Compliant: all of 2 running artifacts.', [row('a', true), row('b', true)]],
    [
      'Not compliant: app:1 is not compliant. review is missing.',
      [row('r.example.com/app:1', false, ['review is missing'])],
    ],
    [
      'Not compliant: a is not compliant. 1 other artifact is not compliant either.',
      [row('a', false), row('b', false)],
    ],
    ['Unknown: no policy judges a.', [row('a', null)]],
    ['Unknown: nothing judges b. The other artifacts are compliant.', [row('a', true), row('b', null)]],
  ])('is «%s»', (sentence, rows) => {
    expect(snapshotSentence(snapshot(...rows))).toBe(sentence);
  });

  it('leaves out what no longer runs', () => {
    const gone = { ...row('a', false), annotation: { now: 0 } } as Row;
    expect(snapshotSentence(snapshot(gone))).toBe('Nothing runs here.');
  });

  it('says for how long an environment has not changed, and how old the last report is', () => {
    const environment = { last_changed_at: 1000, last_reported_at: 2000 } as Environment;
    expect(environmentSentence(environment, snapshot(), 2000)).toBe('Nothing runs here. Unchanged for 16 min.');
    expect(environmentSentence(environment, snapshot(), 12_000)).toContain('The last report is 2 h 46 min old.');
    expect(environmentSentence(environment, undefined, 0)).toContain('No report was made yet');
  });
});

it('an artifact that fails a policy and is compliant is allowed', () => {
  const allowed = { ...row('a', true), policy_decisions: [{ status: 'NON-COMPLIANT' }] } as unknown as Row;
  expect([allowed, row('a', true), row('a', null)].map(stateOfArtifact)).toEqual(['allowed', 'compliant', 'unknown']);
});

it('the name of an image is short', () => {
  expect(shortName('registry.example.com/team/app:1.2@sha256:abc')).toBe('app:1.2');
  expect(shortName('app/')).toBe('app/'.split('/').at(-1) || 'app/');
});

describe('the sentence of an organization', () => {
  const env = (name: string, state: boolean | null) => ({ name, state }) as Environment;
  it.each<[string, Environment[]]>([
    ['Nothing reports to this organization yet.', []],
    ['1 of 2 environments is not compliant: prod.', [env('edge', true), env('prod', false)]],
    ['All of 2 environments are compliant.', [env('a', true), env('b', true)]],
    ['No environment has a verdict yet.', [env('a', null)]],
    ['No environment is known to be not compliant. Nothing is known of b.', [env('a', true), env('b', null)]],
  ])('is «%s»', (sentence, environments) => {
    expect(homeSentence(environments)).toBe(sentence);
  });

  it('puts first what needs attention', () => {
    const sorted = needsFirst([env('a', true), env('c', null), env('d', false), env('b', false)]);
    expect(sorted.map(({ name }) => name)).toEqual(['b', 'd', 'c', 'a']);
  });
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
  const attestation = { attestation_id: 'x', user_data: {}, junit_results: [{ tests: 3 }], control: 'R1', empty: [] };
  expect(findingsOf(attestation as never).map(({ label, text }) => [label, text])).toEqual([
    ['junit results', null],
    ['control', 'R1'],
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
