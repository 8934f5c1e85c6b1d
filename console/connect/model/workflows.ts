import { quoted } from '../../model/commands.ts';
import type { CiName } from './choices.ts';
import { ARTIFACT, type ConnectPlace, exported, FILE, FLOW, INSTALL, indented } from './place.ts';

/** The workflow of each CI system, complete: install, let the job in, build, report (docs/connect.md). */

/** A stand-in for the build of the reader, which makes the file that is reported. It works in every repository. */
const BUILD = [`mkdir -p ${FILE.split('/')[0]}`, `git archive --output ${FILE} HEAD`];

interface Report {
  /** How a shell writes the name of the trail. */
  trail: string;
  /** Address of the build. The client finds it by itself in some CI systems only. */
  build: string;
  /** Address of the commit; absent where the CI system does not name the host of the repository. */
  commit?: string;
}

/** Begins a trail and reports the file that was built. */
const report = ({ trail, build, commit = build }: Report): string[] => [
  `kosli create flow ${FLOW} --use-empty-template`,
  `kosli begin trail "${trail}" --flow ${FLOW}`,
  `kosli attest artifact ${FILE} --artifact-type file --name ${ARTIFACT} \\`,
  `  --build-url "${build}" \\`,
  `  --commit-url "${commit}" \\`,
  `  --flow ${FLOW} --trail "${trail}"`,
];

/** Reads the first text of a field from JSON, without jq. */
const fieldOf = (name: string): string => String.raw`sed -n 's/.*"${name}" *: *"\([^"]*\)".*/\1/p'`;

/** Exchanges the token in `$token` for a key in `$KOSLI_API_TOKEN`. A refusal is printed, and ends the job. */
const EXCHANGE = [
  'answer=$(curl -sS --fail-with-body "$KOSLI_HOST/api/v2/token/$KOSLI_ORG" \\',
  '  -d grant_type=urn:ietf:params:oauth:grant-type:token-exchange \\',
  '  -d subject_token_type=urn:ietf:params:oauth:token-type:id_token \\',
  '  --data-urlencode "subject_token=$token") || { echo "$answer"; exit 1; }',
  `KOSLI_API_TOKEN=$(echo "$answer" | ${fieldOf('access_token')})`,
  'export KOSLI_API_TOKEN',
];

const settings = ({ host, org }: ConnectPlace): string[] => [`KOSLI_HOST: ${host}`, `KOSLI_ORG: ${org}`];

const github = (place: ConnectPlace): string[] => [
  'name: release',
  'on:',
  '  push:',
  '    branches: [main]',
  'permissions:',
  '  contents: read',
  '  id-token: write',
  'env:',
  ...indented(2, settings(place)),
  'jobs:',
  '  release:',
  '    runs-on: ubuntu-latest',
  '    steps:',
  '      - uses: actions/checkout@v4',
  '      - name: Install the client',
  `        run: ${INSTALL}`,
  '      - name: Exchange the token of this job for a key',
  '        shell: bash',
  '        run: |',
  ...indented(10, [
    'token=$(curl -sS --fail-with-body -H "Authorization: Bearer $ACTIONS_ID_TOKEN_REQUEST_TOKEN" \\',
    `  "$ACTIONS_ID_TOKEN_REQUEST_URL&audience=$KOSLI_HOST" | ${fieldOf('value')})`,
    ...EXCHANGE,
    'echo "::add-mask::$KOSLI_API_TOKEN"',
    'echo "KOSLI_API_TOKEN=$KOSLI_API_TOKEN" >> "$GITHUB_ENV"',
  ]),
  '      - name: Build',
  '        run: |',
  ...indented(10, BUILD),
  '      - name: Report',
  '        run: |',
  ...indented(
    10,
    report({
      trail: '$GITHUB_SHA',
      build: '$GITHUB_SERVER_URL/$GITHUB_REPOSITORY/actions/runs/$GITHUB_RUN_ID',
      commit: '$GITHUB_SERVER_URL/$GITHUB_REPOSITORY/commit/$GITHUB_SHA',
    }),
  ),
];

const gitlab = (place: ConnectPlace): string[] => [
  'release:',
  '  image: node:24',
  '  variables:',
  ...indented(4, settings(place)),
  '  id_tokens:',
  '    EVIDENCE_TOKEN:',
  `      aud: ${place.host}`,
  '  script:',
  `    - ${INSTALL}`,
  '    - |',
  ...indented(6, ['token=$EVIDENCE_TOKEN', ...EXCHANGE]),
  '    - |',
  ...indented(6, BUILD),
  '    - |',
  ...indented(
    6,
    report({
      trail: '$CI_COMMIT_SHA',
      build: '$CI_JOB_URL',
      commit: '$CI_PROJECT_URL/-/commit/$CI_COMMIT_SHA',
    }),
  ),
];

const jenkins = (place: ConnectPlace): string[] => [
  'pipeline {',
  '  agent any',
  '  environment {',
  ...indented(
    4,
    Object.entries({ KOSLI_HOST: place.host, KOSLI_ORG: place.org }).map(([name, value]) => `${name} = '${value}'`),
  ),
  "    KOSLI_API_TOKEN = credentials('evidence-key')",
  '  }',
  '  stages {',
  ...Object.entries({
    Install: [INSTALL],
    Build: BUILD,
    Report: report({ trail: '$GIT_COMMIT', build: '$BUILD_URL' }),
  }).flatMap(([stage, lines]) => [
    `    stage('${stage}') {`,
    '      steps {',
    "        sh '''",
    // In such a text of Groovy, a backslash is written twice.
    ...indented(10, lines).map((line) => line.replaceAll('\\', '\\\\')),
    "        '''",
    '      }',
    '    }',
  ]),
  '  }',
  '}',
];

const buildkite = (place: ConnectPlace): string[] => [
  'env:',
  ...indented(2, settings(place)),
  'steps:',
  '  - label: Release',
  '    branches: main',
  '    command: |',
  ...indented(
    6,
    // Buildkite replaces `$NAME` before the agent runs the text; `$$NAME` reaches the shell.
    [
      INSTALL,
      'token=$(buildkite-agent oidc request-token --audience "$KOSLI_HOST")',
      ...EXCHANGE,
      ...BUILD,
      ...report({ trail: '$BUILDKITE_COMMIT', build: '$BUILDKITE_BUILD_URL' }),
    ].map((line) => line.replaceAll('$', '$$$$')),
  ),
];

const circleci = (place: ConnectPlace): string[] => [
  'version: 2.1',
  'jobs:',
  '  release:',
  '    docker:',
  '      - image: cimg/node:24.0',
  '    environment:',
  ...indented(6, settings(place)),
  '    steps:',
  '      - checkout',
  '      - run:',
  '          name: Install the client',
  `          command: sudo ${INSTALL}`,
  '      - run:',
  '          name: Build and report',
  '          command: |',
  ...indented(12, [
    `token=$(circleci run oidc get --claims "{\\"aud\\":\\"$KOSLI_HOST\\"}")`,
    ...EXCHANGE,
    ...BUILD,
    ...report({ trail: '$CIRCLE_SHA1', build: '$CIRCLE_BUILD_URL' }),
  ]),
  'workflows:',
  '  release:',
  '    jobs:',
  '      - release:',
  '          filters:',
  '            branches:',
  '              only: main',
];

const azure = (place: ConnectPlace): string[] => [
  'trigger:',
  '  branches:',
  '    include: [main]',
  'pool:',
  '  vmImage: ubuntu-latest',
  'variables:',
  ...indented(2, settings(place)),
  'steps:',
  '  - checkout: self',
  `  - script: sudo ${INSTALL}`,
  '    displayName: Install the client',
  '  - bash: |',
  ...indented(6, [
    'token=$(curl -sS --fail-with-body -X POST -H "Authorization: Bearer $SYSTEM_ACCESSTOKEN" \\',
    `  -H "Content-Length: 0" "$SYSTEM_OIDCREQUESTURI?api-version=7.1" | ${fieldOf('oidcToken')})`,
    ...EXCHANGE,
    ...BUILD,
    ...report({
      trail: '$BUILD_SOURCEVERSION',
      // The id of the project and not its name, which can have spaces.
      build: '$SYSTEM_COLLECTIONURI$SYSTEM_TEAMPROJECTID/_build/results?buildId=$BUILD_BUILDID',
      commit: '$BUILD_REPOSITORY_URI/commit/$BUILD_SOURCEVERSION',
    }),
  ]),
  '    displayName: Build and report',
  '    env:',
  '      SYSTEM_ACCESSTOKEN: $(System.AccessToken)',
];

/** For every other CI system: a script that reads a stored key from the variable `KOSLI_API_TOKEN`. */
const other = (place: ConnectPlace): string[] => [
  '#!/usr/bin/env bash',
  'set -eu',
  ...exported(place),
  `: "\${KOSLI_API_TOKEN:?Store a key of the service account as the secret variable KOSLI_API_TOKEN}"`,
  `command -v kosli > /dev/null || ${INSTALL}`,
  ...BUILD,
  'commit=$(git rev-parse HEAD)',
  `build=\${BUILD_URL:-${quoted(`${place.host}/${place.org}`)}}`,
  ...report({ trail: '$commit', build: '$build' }),
];

const TEXTS: Readonly<Record<CiName, (place: ConnectPlace) => string[]>> = {
  github,
  gitlab,
  jenkins,
  buildkite,
  circleci,
  azure,
  other,
};

/** @returns the file of a CI system, complete, to be copied */
export const workflowOf = (ci: CiName, place: ConnectPlace): string => TEXTS[ci](place).join('\n');
