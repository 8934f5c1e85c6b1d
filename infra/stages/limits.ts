import { isAbove, type RequestLimit, readLimit, type StageLimits } from '#shared/callers/request-limits.ts';
import type { Stage } from './settings.ts';

type LimitSetting = 'organizationRequests' | 'organizationWrites' | 'keyRequests' | 'keyWrites';
type Limited = Pick<Stage, LimitSetting | 'requestsPerSecond' | 'requestBurst'>;

/** Room for real pipelines: builds that report hundreds of things at once. */
const USUAL: Readonly<Record<LimitSetting, RequestLimit>> = {
  organizationRequests: { rate: 400, burst: 2000 },
  organizationWrites: { rate: 200, burst: 1000 },
  keyRequests: { rate: 200, burst: 1000 },
  keyWrites: { rate: 100, burst: 500 },
};
// `Object.keys` returns plain texts.
const SETTINGS = Object.keys(USUAL) as LimitSetting[];

const wholeOf = ({ requestsPerSecond: rate, requestBurst: burst }: Limited): RequestLimit => ({ rate, burst });
const given = (stage: Limited, setting: LimitSetting): RequestLimit | undefined => readLimit(stage[setting] ?? '');

/** Returns the limits of a stage. The usual ones are never above that of the stage (rules/requests.md#limits-of-organizations). */
export function limitsOf(stage: Limited): StageLimits {
  const whole = wholeOf(stage);
  const limit = (setting: LimitSetting): RequestLimit => {
    const { rate, burst } = given(stage, setting) ?? USUAL[setting];
    return { rate: Math.min(rate, whole.rate), burst: Math.min(burst, whole.burst) };
  };
  return {
    stage: whole,
    organization: { requests: limit('organizationRequests'), writes: limit('organizationWrites') },
    key: { requests: limit('keyRequests'), writes: limit('keyWrites') },
  };
}

/** Returns a setting whose limit is above that of the stage. */
export const limitAboveStage = (stage: Limited): LimitSetting | undefined =>
  SETTINGS.find((setting) => {
    const limit = given(stage, setting);
    return limit && isAbove(limit, wholeOf(stage));
  });
