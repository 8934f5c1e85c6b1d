import type { Spread } from '../spread.ts';

/** Results of the part `limit`, as plain JSON. */

/** The function or one kind of bare calls, with a number of clients. */
export interface Pace {
  /** Requests per second. */
  rate: Spread;
  /** Processor time of the process for a request, in milliseconds. */
  cpu: Spread;
}

/** A request with a number of clients. Ratios and differences are computed for each round. */
export interface Compared {
  functions: Pace;
  /** Bare calls with the settings of the functions. */
  tuned: Pace;
  /** Bare calls with the SDK as it comes. */
  standard: Pace;
  /** Rate of the function divided by that of the tuned bare calls. */
  ratio: Spread;
  /** The same with the SDK as it comes. */
  standardRatio: Spread;
  /** Processor time of the function minus that of the tuned bare calls, in milliseconds. */
  overhead: Spread;
}

export interface WarmResult {
  request: string;
  kind: 'read' | 'write';
  /** Medians of the recorded requests. */
  calls: number;
  readUnits: number;
  writeUnits: number;
  one: Compared;
  sixteen: Compared;
}

export interface ColdResult {
  group: string;
  request: string;
  /** Size of the archive in bytes. */
  size: number;
  calls: number;
  /** Milliseconds from the start of the process to the first answer. */
  functions: Spread;
  tuned: Spread;
  ratio: Spread;
}

export interface LimitResult {
  trails: number;
  rounds: number;
  starts: number;
  warm: WarmResult[];
  cold: ColdResult[];
}
