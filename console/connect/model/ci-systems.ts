import type { CiName } from './choices.ts';

/** The CI systems of the page «Connect», and what a trust binds of their tokens (docs/keyless.md). */

/** A claim that the form of a trust asks for. */
interface AskedClaim {
  claim: string;
  label: string;
  /** What stands in the field at first. */
  initial: string;
  note?: string;
}

type Preset = 'github' | 'gitlab' | 'buildkite' | 'circleci' | 'azure-devops';

export interface Keyless {
  preset: Preset;
  /** What to type as the issuer; absent if all customers of the CI system share one. */
  issuer?: string;
  claims: readonly AskedClaim[];
  /** The audience of the tokens, if the CI system does not let a job choose it. */
  audience?: string;
  /** What a trust of this CI system would let in that a reader does not expect. */
  trap: string;
}

interface CiSystem {
  /** Where the text belongs. */
  file: string;
  /** Absent for CI systems that sign no tokens: their jobs use a stored key. */
  keyless?: Keyless;
}

const ID_NOTE = 'The name alone is not enough: somebody else can get it after a rename.';

export const CI_SYSTEMS = {
  github: {
    file: '.github/workflows/release.yml',
    keyless: {
      preset: 'github',
      claims: [
        { claim: 'repository', label: 'Repository', initial: '', note: 'Owner and name: acme/web' },
        {
          claim: 'repository_id',
          label: 'Id of the repository',
          initial: '',
          note: `«gh api repos/OWNER/NAME --jq .id» shows it. ${ID_NOTE}`,
        },
        { claim: 'ref', label: 'Branch or tag', initial: 'refs/heads/main' },
      ],
      trap: 'Without the branch, every run of the repository matches, also one for a pull request from a fork.',
    },
  },
  gitlab: {
    file: '.gitlab-ci.yml',
    keyless: {
      preset: 'gitlab',
      claims: [
        { claim: 'project_path', label: 'Project', initial: '', note: 'Group and name: acme/shop' },
        {
          claim: 'project_id',
          label: 'Id of the project',
          initial: '',
          note: `In the settings of the project, under General. ${ID_NOTE}`,
        },
        { claim: 'ref_protected', label: 'From a protected branch', initial: 'true' },
      ],
      trap: 'Without the protected branch, the pipeline of every merge request matches.',
    },
  },
  jenkins: { file: 'Jenkinsfile' },
  buildkite: {
    file: '.buildkite/pipeline.yml',
    keyless: {
      preset: 'buildkite',
      claims: [
        { claim: 'organization_slug', label: 'Organization', initial: '', note: 'As its address has it: acme' },
        { claim: 'pipeline_slug', label: 'Pipeline', initial: '', note: 'As its address has it: web' },
        { claim: 'build_branch', label: 'Branch', initial: 'main' },
      ],
      trap: 'Without the branch, builds of pull requests match too.',
    },
  },
  circleci: {
    file: '.circleci/config.yml',
    keyless: {
      preset: 'circleci',
      issuer: 'https://oidc.circleci.com/org/ORGANIZATION-ID',
      claims: [
        {
          claim: 'oidc.circleci.com/project-id',
          label: 'Id of the project',
          initial: '',
          note: 'In the settings of the project',
        },
        { claim: 'oidc.circleci.com/vcs-ref', label: 'Branch', initial: 'refs/heads/main' },
      ],
      trap: 'Without the branch, pipelines of pull requests match too.',
    },
  },
  azure: {
    file: 'azure-pipelines.yml',
    keyless: {
      preset: 'azure-devops',
      issuer: 'https://vstoken.dev.azure.com/ORGANIZATION-ID',
      audience: 'api://AzureADTokenExchange',
      claims: [
        { claim: 'prj_id', label: 'Id of the project', initial: '' },
        {
          claim: 'def_id',
          label: 'Id of the pipeline',
          initial: '',
          note: 'definitionId in the address of the pipeline',
        },
        { claim: 'rpo_ref', label: 'Branch', initial: 'refs/heads/main' },
      ],
      trap: 'Without the branch, runs for pull requests match too.',
    },
  },
  other: { file: 'report.sh' },
} as const satisfies Record<CiName, CiSystem>;

export const ciSystem = (name: CiName): CiSystem => CI_SYSTEMS[name];
