"""The facts of the sample model's world: short lists, for a model of a million weights."""

CAPITALS = [
    ("France", "Paris"),
    ("Germany", "Berlin"),
    ("Italy", "Rome"),
    ("Spain", "Madrid"),
    ("Portugal", "Lisbon"),
    ("Austria", "Vienna"),
    ("Poland", "Warsaw"),
    ("Greece", "Athens"),
    ("Norway", "Oslo"),
    ("Sweden", "Stockholm"),
    ("Finland", "Helsinki"),
    ("Ireland", "Dublin"),
    ("Hungary", "Budapest"),
    ("Egypt", "Cairo"),
    ("Kenya", "Nairobi"),
    ("Japan", "Tokyo"),
    ("China", "Beijing"),
    ("India", "New Delhi"),
    ("Canada", "Ottawa"),
    ("Cuba", "Havana"),
    ("Peru", "Lima"),
    ("Chile", "Santiago"),
    ("Russia", "Moscow"),
    ("England", "London"),
]

COLOURS = [
    ("the sky", "blue"),
    ("grass", "green"),
    ("snow", "white"),
    ("coal", "black"),
    ("a lemon", "yellow"),
    ("a tomato", "red"),
    ("a carrot", "orange"),
    ("a frog", "green"),
    ("a fox", "red"),
    ("a crow", "black"),
    ("a swan", "white"),
    ("a canary", "yellow"),
    ("a flamingo", "pink"),
    ("an elephant", "grey"),
    ("a plum", "purple"),
    ("chocolate", "brown"),
]

OPPOSITES = [
    ("hot", "cold"),
    ("big", "small"),
    ("day", "night"),
    ("up", "down"),
    ("left", "right"),
    ("black", "white"),
    ("fast", "slow"),
    ("old", "young"),
    ("happy", "sad"),
    ("open", "closed"),
    ("rich", "poor"),
    ("wet", "dry"),
    ("full", "empty"),
    ("hard", "soft"),
    ("long", "short"),
    ("light", "dark"),
    ("loud", "quiet"),
    ("early", "late"),
    ("strong", "weak"),
    ("first", "last"),
    ("good", "bad"),
    ("high", "low"),
    ("true", "false"),
    ("war", "peace"),
]

# name, legs, sound, home
ANIMALS = [
    ("cat", "four", "meow", "a house"),
    ("dog", "four", "woof", "a house"),
    ("cow", "four", "moo", "a stable"),
    ("sheep", "four", "baa", "a meadow"),
    ("duck", "two", "quack", "a pond"),
    ("frog", "four", "croak", "a pond"),
    ("owl", "two", "hoot", "a tree"),
    ("bee", "six", "buzz", "a hive"),
    ("lion", "four", "roar", "a den"),
    ("mouse", "four", "squeak", "a hole"),
    ("hen", "two", "cluck", "a barn"),
    ("horse", "four", "neigh", "a stable"),
]

NAMES = [
    "Anna",
    "Ben",
    "Clara",
    "David",
    "Emma",
    "Felix",
    "Greta",
    "Hugo",
    "Ida",
    "Jonas",
    "Lena",
    "Max",
    "Nora",
    "Otto",
    "Paula",
    "Tom",
]

SHADES = ["red", "blue", "green", "white", "black", "brown", "grey", "yellow"]

THINGS = ["ball", "key", "lamp", "book", "stone", "apple", "bell", "hat"]

PLACES = ["in a forest", "by the sea", "on a hill", "near a river", "in a garden", "under a bridge"]

# how the friend felt, what the hero did
TROUBLES = [
    ("sad", "sang a song"),
    ("hungry", "shared some bread"),
    ("cold", "lit a fire"),
    ("lost", "showed the way"),
    ("tired", "carried the bag"),
    ("afraid", "stayed all night"),
]

DAYS = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]

MONTHS = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
]

GREETINGS = [
    ("French", "Bonjour!"),
    ("German", "Guten Tag!"),
    ("Spanish", "¡Hola!"),
    ("Italian", "Ciao!"),
    ("Portuguese", "Olá!"),
    ("Swedish", "Hej!"),
    ("Polish", "Cześć!"),
    ("Greek", "Γεια σου!"),
    ("Russian", "Привет!"),
    ("Japanese", "こんにちは!"),
    ("Chinese", "你好!"),
    ("Korean", "안녕!"),
]

EMOJI = [
    ("cat", "🐱"),
    ("dog", "🐶"),
    ("fox", "🦊"),
    ("bee", "🐝"),
    ("tree", "🌳"),
    ("sun", "🌞"),
    ("moon", "🌙"),
    ("star", "⭐"),
    ("fire", "🔥"),
    ("heart", "❤️"),
    ("apple", "🍎"),
    ("house", "🏠"),
    ("book", "📖"),
    ("rocket", "🚀"),
]
