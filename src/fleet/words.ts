import { createHash } from 'node:crypto';

/** Short words that sound different from each other; a byte chooses one. */
const WORDS =
  'acorn album alley amber angel ankle apple apron arena armor arrow atlas attic audio badge bagel baker bamboo ' +
  'banjo barn basin beach bean bear beetle bell belt bench berry bike birch bison blade blanket bloom boat ' +
  'bonus book boot bottle bowl bread brick bridge broom brush bucket bugle bunny butter cabin cable cactus cake ' +
  'camel camera candle canoe canyon carbon cargo carpet castle cedar chair chalk cherry chess circle citrus ' +
  'clay cliff clock cloud clover cocoa coffee comet copper coral corn cotton crab crane crayon cricket crown ' +
  'crystal cube curtain daisy dancer desert diamond diner dolphin donkey dragon drum eagle earth ember engine ' +
  'fabric falcon feather fence ferry fiddle flame flute forest fossil fox garden garlic ginger giraffe glacier ' +
  'glove goose grape guitar hammer harbor hazel helmet honey hotel igloo island ivory jacket jaguar jelly jewel ' +
  'jungle kettle kitten koala ladder lagoon lake lantern lemon leopard lily lizard lobster lunar magnet mango ' +
  'maple marble meadow melon meteor mirror monkey mosaic moss motor muffin mushroom napkin needle nest nickel ' +
  'nutmeg oasis ocean olive onion opera orange orchid otter oven oyster paddle palace panda paper parrot peach ' +
  'peanut pearl pebble pencil pepper piano pickle pillow pilot planet plum pocket polar pony poplar potato ' +
  'prairie puzzle quartz rabbit radio raven reef ribbon river robot rocket saddle sail salmon sandal satin ' +
  'scarf shadow shovel signal silver sketch socket sparrow spider spoon squid stable statue summit sunset table ' +
  'tango tiger timber tomato tower tractor tulip tunnel turtle umbrella valley velvet violin walnut walrus ' +
  'whale willow window winter wizard yogurt zebra zipper';

const LIST = WORDS.split(' ');
const COUNT = 4;

/** Returns four words for the values that two machines have exchanged: 32 bits, which people compare. */
export function fourWords(exchanged: readonly string[]): string {
  const hash = createHash('sha256').update(JSON.stringify(exchanged)).digest();
  return Array.from({ length: COUNT }, (_, index) => LIST[hash[index]!]).join(' ');
}
