import type { VerifiedIdentity } from '#shared/base/verified-identity.ts';

/** What is known of the tokens of CI systems (rules/identities.md#presets). */

export const PRESETS = ['github', 'gitlab', 'buildkite', 'circleci', 'azure-devops', 'any'] as const;
export type PresetName = (typeof PRESETS)[number];

type Fact = Exclude<keyof VerifiedIdentity, 'trust' | 'issuer' | 'subject' | 'claims'>;

export interface Preset {
  /** The issuer that all customers of the CI system share. Absent if every customer has an issuer of its own. */
  issuer?: string;
  /** Sets of claims that name a pipeline. A trust has to bind all claims of at least one set. */
  names: readonly (readonly string[])[];
  /** The claims that hold each fact, the best first. */
  facts: Partial<Record<Fact, readonly string[]>>;
  /** Claims of which one should be bound, because without them pull requests and merge requests match too. */
  limits: readonly string[];
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
    limits: ['ref', 'environment', 'event_name', 'workflow_ref', 'job_workflow_ref', 'sub'],
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
    limits: ['ref', 'ref_path', 'ref_protected', 'environment', 'pipeline_source', 'ci_config_ref_uri', 'sub'],
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
    limits: ['build_branch', 'build_tag', 'sub'],
  },
  circleci: {
    names: [['oidc.circleci.com/project-id']],
    facts: {
      repository: ['oidc.circleci.com/vcs-origin'],
      project_id: ['oidc.circleci.com/project-id'],
      run_id: ['oidc.circleci.com/pipeline-id', 'oidc.circleci.com/workflow-id'],
      ref: ['oidc.circleci.com/vcs-ref'],
    },
    limits: ['oidc.circleci.com/vcs-ref'],
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
    limits: ['rpo_ref', 'sub'],
  },
  any: { names: [], facts: {}, limits: [] },
};

/** Returns the preset whose customers all share an issuer; undefined if the issuer is no such. */
export const presetOfIssuer = (issuer: string): PresetName | undefined =>
  PRESETS.find((name) => PRESET[name].issuer === issuer);
