/** A value, or a function that returns it at each moment. */
export type Provided<Value> = Value | (() => Value);

/** Returns the value of this moment. */
export function current<Value extends string | object | undefined>(provided: Provided<Value>): Value {
  return typeof provided === 'function' ? provided() : provided;
}
