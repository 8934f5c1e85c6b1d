import type { VerifiedIdentity } from '#shared/callers/verified-identity.ts';

/** What is known of the tokens of CI systems (rules/identities.md#presets). */

export const PRESETS = ['github', 'gitlab', 'buildkite', 'circleci', 'azure-devops', 'any'] as const;
export type PresetName = (typeof PRESETS)[number];

type Fact = Exclude<keyof VerifiedIdentity, 'trust' | 'issuer' | 'subject' | 'claims'>;

/**
 * A claim that can keep runs for pull requests and merge requests out. Forms are compared by `canMatch` of `claim-patterns.ts`.
 */
export interface Limit {
  claim: string;
  /** Forms of the values that such runs have. */
  requests: readonly string[];
  /** Forms of values that a person who opens a request can bring about. They count for patterns with `*` only. */
  chosen?: readonly string[];
}

/** Any value. */
const ANYTHING = ['**'];

interface Preset {
  /** The issuer that all customers of the CI system share. Absent if every customer has an issuer of its own. */
  issuer?: string;
  /** Sets of claims that name a pipeline. A trust has to bind all claims of at least one set. */
  names: readonly (readonly string[])[];
  /** The claims that hold each fact, the best first. */
  facts: Partial<Record<Fact, readonly string[]>>;
  /** Claims of which one should be bound, because without them pull requests and merge requests match too. */
  limits: readonly Limit[];
}

export const PRESET: Readonly<Record<PresetName, Preset>> = {
  github: {
    issuer: 'https://token.actions.githubusercontent.com',
    names: [['repository_id'], ['repository']],
    facts: {
      repository: ['repository'],
      repository_id: ['repository_id'],
      workflow_ref: ['workflow_ref'],
      workflow_commit: ['workflow_sha'],
      run_id: ['run_id'],
      run_attempt: ['run_attempt'],
      commit: ['sha'],
      ref: ['ref'],
      event: ['event_name'],
      actor: ['actor'],
      environment: ['environment'],
      runner: ['runner_environment'],
    },
    limits: [
      { claim: 'ref', requests: ['refs/pull/*/*'] },
      // A job that names an environment that does not exist makes it, without protection.
      { claim: 'environment', requests: [], chosen: ANYTHING },
      { claim: 'event_name', requests: ['pull_request*'] },
      { claim: 'workflow_ref', requests: ['**/*@refs/pull/*/*'] },
      // A workflow can be called at any commit, also at one that only a fork has.
      {
        claim: 'job_workflow_ref',
        requests: ['**/*@refs/pull/*/*'],
        chosen: ['*/*/.github/workflows/*@*'],
      },
      { claim: 'sub', requests: ['repo:*/*:pull_request', 'repo:*/*:ref:refs/pull/*/*'], chosen: ANYTHING },
    ],
  },
  gitlab: {
    issuer: 'https://gitlab.com',
    names: [['project_id'], ['project_path']],
    facts: {
      repository: ['project_path'],
      repository_id: ['project_id'],
      workflow_ref: ['ci_config_ref_uri'],
      workflow_commit: ['ci_config_sha'],
      run_id: ['pipeline_id'],
      commit: ['sha'],
      ref: ['ref_path', 'ref'],
      event: ['pipeline_source'],
      actor: ['user_login'],
      environment: ['environment'],
      runner: ['runner_environment'],
    },
    // In a pipeline of a merge request, the branch is the source branch, whose name its author chooses.
    limits: [
      { claim: 'ref', requests: ['refs/merge-requests/*/*'], chosen: ANYTHING },
      { claim: 'ref_path', requests: ['refs/merge-requests/*/*'], chosen: ['refs/heads/**'] },
      { claim: 'ref_protected', requests: ['false'] },
      { claim: 'environment', requests: [], chosen: ANYTHING },
      { claim: 'pipeline_source', requests: ['merge_request_event', 'external_pull_request_event'] },
      {
        claim: 'ci_config_ref_uri',
        requests: ['**/*@refs/merge-requests/*/*'],
        chosen: ['**/*@refs/heads/**'],
      },
      { claim: 'sub', requests: ['**/*:ref:refs/merge-requests/*/*'], chosen: ANYTHING },
    ],
  },
  buildkite: {
    issuer: 'https://agent.buildkite.com',
    names: [['pipeline_id'], ['organization_id', 'pipeline_slug'], ['organization_slug', 'pipeline_slug']],
    facts: {
      project: ['pipeline_slug'],
      project_id: ['pipeline_id'],
      run_id: ['build_number'],
      commit: ['build_commit'],
      ref: ['build_tag', 'build_branch'],
    },
    limits: [
      // The branch of a fork has the owner of the fork before it.
      { claim: 'build_branch', requests: ['*:*/**'] },
      { claim: 'build_tag', requests: [] },
      { claim: 'sub', requests: [], chosen: ANYTHING },
    ],
  },
  circleci: {
    names: [['oidc.circleci.com/project-id']],
    facts: {
      repository: ['oidc.circleci.com/vcs-origin'],
      project_id: ['oidc.circleci.com/project-id'],
      run_id: ['oidc.circleci.com/pipeline-id', 'oidc.circleci.com/workflow-id'],
      ref: ['oidc.circleci.com/vcs-ref'],
    },
    limits: [{ claim: 'oidc.circleci.com/vcs-ref', requests: ['refs/pull/*/**', 'refs/heads/pull/*'] }],
  },
  'azure-devops': {
    names: [['sub'], ['prj_id', 'def_id'], ['rpo_id']],
    facts: {
      repository: ['rpo_uri'],
      repository_id: ['rpo_id'],
      project_id: ['prj_id'],
      run_id: ['run_id'],
      commit: ['rpo_ver'],
      ref: ['rpo_ref'],
    },
    // `sub` names a pipeline or a connection, whatever the run is for.
    limits: [{ claim: 'rpo_ref', requests: ['refs/pull/*/*'] }],
  },
  any: { names: [], facts: {}, limits: [] },
};

/** Returns the preset whose customers all share an issuer; undefined if the issuer is no such. */
export const presetOfIssuer = (issuer: string): PresetName | undefined =>
  PRESETS.find((name) => PRESET[name].issuer === issuer);
