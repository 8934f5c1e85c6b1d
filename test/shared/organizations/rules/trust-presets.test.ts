import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { matchesPattern } from '#shared/organizations/rules/claim-patterns.ts';
import { PRESET, type PresetName } from '#shared/organizations/rules/trust-presets.ts';
import { trustWarnings } from '#shared/organizations/rules/trusts.ts';
import { aTrust } from './a-trust.ts';

/** Claims that name a pipeline, by preset. */
const PIPELINE: Record<Exclude<PresetName, 'any'>, Record<string, string>> = {
  github: { repository_id: '74' },
  gitlab: { project_id: '20' },
  buildkite: { pipeline_id: 'p' },
  circleci: { 'oidc.circleci.com/project-id': 'c' },
  'azure-devops': { rpo_id: 'r' },
};
const FILE = 'acme/ci/.github/workflows/a.yml';
const CONFIG = 'gitlab.com/acme/shop/web//.gitlab-ci.yml';
const COMMIT = '2f5cd4a5f4f7c1d1e5c5ac0f2b7a8d7a54d1e0c1';

/** Whether a trust that binds a pattern beside its pipeline gets the warning about pull requests and merge requests. */
const warnsOfRequests = (preset: keyof typeof PIPELINE, claim: string, values: string | string[]): boolean =>
  trustWarnings(aTrust({ ...PIPELINE[preset], [claim]: values }, { preset }), 'member').some((sentence) =>
    sentence.startsWith('Runs for pull requests and merge requests match too'),
  );

describe('the warning about pull requests and merge requests', () => {
  it.each<[keyof typeof PIPELINE, string, string | string[]]>([
    ['github', 'ref', 'refs/heads/main'],
    ['github', 'ref', 'refs/tags/v*'],
    ['github', 'ref', ['refs/heads/*', 'refs/tags/*']],
    ['github', 'environment', 'prod'],
    ['github', 'event_name', ['push', 'workflow_dispatch']],
    ['github', 'workflow_ref', `${FILE}@refs/heads/*`],
    ['github', 'job_workflow_ref', `${FILE}@refs/tags/v*`],
    ['github', 'job_workflow_ref', `${FILE}@${COMMIT}`],
    ['github', 'sub', 'repo:acme/web:environment:prod'],
    ['gitlab', 'ref', 'main'],
    ['gitlab', 'ref_path', 'refs/tags/v*'],
    ['gitlab', 'ref_protected', 'true'],
    ['gitlab', 'pipeline_source', 'push'],
    ['gitlab', 'ci_config_ref_uri', `${CONFIG}@refs/heads/main`],
    ['buildkite', 'build_branch', 'release/*'],
    ['buildkite', 'build_tag', 'v*'],
    ['circleci', 'oidc.circleci.com/vcs-ref', 'refs/heads/*'],
    ['azure-devops', 'rpo_ref', 'refs/heads/*'],
  ])('is absent with %s %s %j', (preset, claim, values) => {
    expect(warnsOfRequests(preset, claim, values)).toBe(false);
  });

  it.each<[keyof typeof PIPELINE, string, string | string[]]>([
    ['github', 'ref', 'refs/*/*/merge'],
    ['github', 'ref', 'refs/pull/*/merge'],
    ['github', 'ref', 'refs/pull/7/merge'],
    ['github', 'ref', ['refs/heads/main', 'refs/p*/*/m*']],
    ['github', 'environment', 'prod*'],
    ['github', 'event_name', 'pull_request_target'],
    ['github', 'event_name', 'p*'],
    ['github', 'workflow_ref', `${FILE}@refs/pull/*/merge`],
    ['github', 'workflow_ref', `acme/ci/.github/workflows/*/pull/1/merge`],
    ['github', 'job_workflow_ref', `${FILE}@*`],
    ['github', 'job_workflow_ref', `${FILE}@refs/*/*/merge`],
    ['github', 'job_workflow_ref', `${FILE}@refs/pull/7/merge`],
    ['github', 'sub', 'repo:acme/web:pull_request'],
    ['github', 'sub', 'repo:acme/web:*'],
    ['gitlab', 'ref', 'release-*'],
    ['gitlab', 'ref', 'refs/merge-requests/1/head'],
    ['gitlab', 'ref_path', 'refs/*/*'],
    ['gitlab', 'ref_path', 'refs/merge-requests/*/head'],
    ['gitlab', 'ref_protected', 'false'],
    ['gitlab', 'pipeline_source', 'merge_request_event'],
    ['gitlab', 'ci_config_ref_uri', `${CONFIG}@refs/merge-requests/*/head`],
    ['gitlab', 'sub', 'project_path:acme/shop:*'],
    ['buildkite', 'build_branch', '*main'],
    ['buildkite', 'build_branch', 'someone:feature/x'],
    ['circleci', 'oidc.circleci.com/vcs-ref', 'refs/pull/*/head'],
    ['circleci', 'oidc.circleci.com/vcs-ref', 'refs/heads/*/*'],
    ['azure-devops', 'rpo_ref', 'refs/pull/*/merge'],
    // It names a pipeline or a connection, whatever the run is for.
    ['azure-devops', 'sub', 'p://acme/shop/release'],
  ])('is there with %s %s %j', (preset, claim, values) => {
    expect(warnsOfRequests(preset, claim, values)).toBe(true);
  });

  it('is there for every pattern that matches the value of such a run, in every claim of every preset', () => {
    const limits = Object.entries(PIPELINE).flatMap(([name]) => {
      const preset = name as keyof typeof PIPELINE;
      return PRESET[preset].limits.flatMap(({ claim, requests }) => requests.map((form) => ({ preset, claim, form })));
    });
    const letters = (least: number) =>
      fc.string({ unit: fc.constantFrom('a', '1', '-', ':', '@', '.'), minLength: least, maxLength: 4 });
    const parts = fc.array(letters(1), { maxLength: 3 });
    const example = fc
      .tuple(
        fc.constantFrom(...limits),
        fc.infiniteStream(letters(0)),
        fc.infiniteStream(parts),
        fc.infiniteStream(fc.boolean()),
      )
      .map(([limit, texts, paths, choices]) => {
        const next = <T>(stream: Iterator<T>): T => stream.next().value as T;
        const value = limit.form
          .split('/')
          .flatMap((part) => (part === '**' ? next(paths) : [part.replaceAll('*', () => next(texts))]))
          .join('/');
        // A text or a letter of the value becomes `*`, which so still matches.
        const pattern = value.replace(/[^/]{1,3}/g, (text) => (next(choices) ? '*' : text));
        return { ...limit, value, pattern };
      });
    void fc.assert(
      fc.property(example, ({ preset, claim, value, pattern }) => {
        fc.pre(value !== '');
        expect(matchesPattern(pattern, value)).toBe(true);
        expect(warnsOfRequests(preset, claim, pattern)).toBe(true);
      }),
      { numRuns: 2_000 },
    );
  });
});
