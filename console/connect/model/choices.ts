/** The values of the parameters of the page «Connect». The texts about them lie elsewhere, because every page loads this file. */

export const CI_LABELS = {
  github: 'GitHub Actions',
  gitlab: 'GitLab',
  jenkins: 'Jenkins',
  buildkite: 'Buildkite',
  circleci: 'CircleCI',
  azure: 'Azure DevOps',
  other: 'Other',
} as const;
export type CiName = keyof typeof CI_LABELS;
// `Object.keys` returns plain texts.
export const CI_NAMES = Object.keys(CI_LABELS) as [CiName, ...CiName[]];

export const REPORTERS = {
  server: 'Server',
  docker: 'Docker',
  k8s: 'Kubernetes',
  ecs: 'ECS',
  lambda: 'Lambda',
} as const;
export type ReporterName = keyof typeof REPORTERS;
// `Object.keys` returns plain texts.
export const REPORTER_NAMES = Object.keys(REPORTERS) as [ReporterName, ...ReporterName[]];
