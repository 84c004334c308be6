{-# LANGUAGE LambdaCase #-}
-- | Parsers.
module Text.Parser
  ( Parser
  , parse
  ) where

import qualified Data.Map as Map
import Data.Maybe (fromMaybe)

-- | A parser.
newtype Parser a = Parser { runParser :: String -> Maybe (a, String) }

data Token
  = Number Int
  | Word String
  deriving (Eq, Show)

type Result a = Either String a

class Pretty a where
  pretty :: a -> String
  pretty _ = ""

instance Functor Parser where
  fmap f (Parser p) = Parser $ \input -> case p input of
    Nothing -> Nothing
    Just (a, rest) -> Just (f a, rest)

-- | Parses it.
parse :: Parser a -> String -> Maybe a
parse p input = fmap fst (runParser p input)

tokens :: String -> [Token]
tokens [] = []
tokens (c : rest)
  | isDigit c = Number 1 : tokens rest
  | otherwise = Word [c] : tokens rest

limit :: Int
limit = 10

(<+>) :: Parser a -> Parser a -> Parser a
(<+>) (Parser a) (Parser b) = Parser a

infixl 5 <+>

type family Elem c
