/** Reads of parts of an answer whose form nobody promises. A part with another form than expected counts as absent. */
type Fields = Readonly<Record<string, unknown>>;

export const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A field that the value itself has; undefined for everything that each object inherits. */
export const fieldOf = (value: unknown, name: string): unknown =>
  isFields(value) && Object.hasOwn(value, name) ? value[name] : undefined;

/** A text with at least one character that is not white space, without white space around it. */
export function textOf(value: unknown, name: string): string | null {
  const text = fieldOf(value, name);
  return typeof text === 'string' && text.trim() !== '' ? text.trim() : null;
}

/** A finite number. */
export function numberOf(value: unknown, name: string): number | null {
  const number = fieldOf(value, name);
  return typeof number === 'number' && Number.isFinite(number) ? number : null;
}

/** A time in seconds since the epoch, from a number or from a text with a number or a date in it. */
export function timeOf(value: unknown, name: string): number | null {
  const time = fieldOf(value, name);
  if (typeof time === 'number') return Number.isFinite(time) ? time : null;
  if (typeof time !== 'string' || time === '') return null;
  const seconds = /^\d+(\.\d+)?$/.test(time) ? Number(time) : Date.parse(time) / 1000;
  return Number.isFinite(seconds) ? seconds : null;
}

/** The objects of a list; null if the field is no list. Members that are no objects are left out. */
export function objectsOf(value: unknown, name: string): Fields[] | null {
  const list = fieldOf(value, name);
  return Array.isArray(list) ? list.filter(isFields) : null;
}
