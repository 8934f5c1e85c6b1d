import { limitAboveStage } from './limits.ts';
import { DEFAULTS, Settings, type Stage } from './settings.ts';
import { StageError, wrongSetting } from './stage-error.ts';

/** What a file says about stages: settings by the name of the stage. */
export type GivenStages = Readonly<Record<string, unknown>>;

/** The stages if no file names one. */
export const DEFAULT_STAGES: GivenStages = { eu: {}, us: {} };

/** The regions of stages that need not name one. */
const DEFAULT_REGIONS: ReadonlyMap<string, string> = new Map([
  ['eu', 'eu-central-1'],
  ['us', 'us-east-1'],
]);

/** Names of resources contain the name of the stage (`names.ts`), and it begins the host name of logs. */
const NAME = /^[a-z][a-z0-9-]{0,18}[a-z0-9]$/;

/** Stages whose names begin with an area lie in this area: evidence never leaves it (rules/storage.md#regions). */
const AREA = /^(?:eu|us)(?=-|$)/;

/**
 * Returns the settings of every stage.
 *
 * @param given the object with the stages
 * @param file the file that has it, for messages
 * @throws StageError for a wrong name, an unknown setting or a wrong value
 */
export function readStages(given: GivenStages, file: string): Stage[] {
  const stages = Object.entries(given);
  if (stages.length === 0) throw new StageError(`${file}: 'stages' names no stage.`);
  return stages.map(([name, settings]) => readStage({ file, name }, settings));
}

/** Returns the stage with a name. @throws StageError if there is none */
export function stageNamed(stages: readonly Stage[], name: string): Stage {
  const found = stages.find((stage) => stage.name === name);
  if (found) return found;
  const file = stages[0]?.file;
  throw new StageError(
    `${file}: there is no stage '${name}'; the stages are ${stages.map((stage) => stage.name).join(', ')}.`,
  );
}

function readStage(stage: { file: string; name: string }, settings: unknown): Stage {
  const { file, name } = stage;
  if (!NAME.test(name)) {
    throw new StageError(
      `${file}: the name of the stage '${name}' must be 2 to 20 lower-case letters, digits and dashes, with a letter first and no dash last.`,
    );
  }
  if (typeof settings !== 'object' || settings === null || Array.isArray(settings)) {
    throw new StageError(
      `${file}: the stage '${name}' must be an object with settings; it is ${JSON.stringify(settings)}.`,
    );
  }
  const region = DEFAULT_REGIONS.get(name);
  const values: Record<string, unknown> = { ...DEFAULTS, ...(region !== undefined && { region }), ...settings };
  const unknown = Object.keys(values).find((setting) => !Object.hasOwn(Settings.shape, setting));
  if (unknown !== undefined) {
    throw wrongSetting(stage, unknown, `is no setting; the settings are ${Object.keys(Settings.shape).join(', ')}`);
  }
  const parsed = Settings.safeParse(values);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const setting = String(issue?.path[0]);
    throw wrong(stage, values, setting, issue?.message ?? 'is not valid', parsed.error);
  }
  const read = { file, name, ...parsed.data };
  checkTogether(read, (setting, rule) => wrong(stage, values, setting, rule));
  return read;
}

const wrong = (
  stage: { file: string; name: string },
  values: Record<string, unknown>,
  setting: string,
  rule: string,
  cause?: unknown,
): StageError => {
  const value = values[setting];
  return wrongSetting(
    stage,
    setting,
    `${rule}; it is ${value === undefined ? 'not set' : JSON.stringify(value)}`,
    cause,
  );
};

/** Checks the settings that depend on each other. */
function checkTogether(stage: Stage, refusal: (setting: string, rule: string) => StageError): void {
  const [area] = AREA.exec(stage.name) ?? [];
  if (area !== undefined && !stage.region.startsWith(`${area}-`)) {
    throw refusal('region', `must be a region in ${area}, because the name of the stage begins with ${area}`);
  }
  if (stage.domainName !== undefined && stage.certificateArn === undefined) {
    throw refusal('certificateArn', "must be set beside 'domainName'");
  }
  if (stage.certificateArn !== undefined) {
    if (stage.domainName === undefined) throw refusal('domainName', "must be set beside 'certificateArn'");
    if (stage.certificateArn.split(':')[3] !== stage.region) {
      throw refusal('certificateArn', `must be a certificate in ${stage.region}`);
    }
  }
  const above = limitAboveStage(stage);
  if (above) throw refusal(above, "must not be above 'requestsPerSecond' and 'requestBurst'");
  if ((stage.signInIssuer === undefined) !== (stage.signInClientId === undefined)) {
    const [missing, present] =
      stage.signInIssuer === undefined ? ['signInIssuer', 'signInClientId'] : ['signInClientId', 'signInIssuer'];
    throw refusal(missing, `must be set beside '${present}'`);
  }
  if (stage.signInSecretName !== undefined && stage.signInIssuer === undefined) {
    throw refusal('signInIssuer', "must be set beside 'signInSecretName'");
  }
  if (stage.restoredTableStream !== undefined && stage.restoredTableStream.split(':')[3] !== stage.region) {
    throw refusal('restoredTableStream', `must be a stream in ${stage.region}`);
  }
  if ((stage.replicaBucketArn === undefined) !== (stage.replicaKeyArn === undefined)) {
    const [missing, present] =
      stage.replicaKeyArn === undefined ? ['replicaKeyArn', 'replicaBucketArn'] : ['replicaBucketArn', 'replicaKeyArn'];
    throw refusal(missing, `must be set beside '${present}'`);
  }
  // Evidence does not leave its area (rules/storage.md#regions). The ARN of a bucket names no region; that of its key does.
  const own = `${stage.region.split('-', 1)}-`;
  for (const setting of ['backupVaultArn', 'replicaKeyArn'] as const) {
    const region = stage[setting]?.split(':')[3];
    if (region !== undefined && !region.startsWith(own))
      throw refusal(setting, `must be in a region that begins with ${own}`);
  }
}
