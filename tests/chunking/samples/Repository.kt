package com.example.data

import kotlinx.coroutines.flow.Flow
import java.io.File as JFile

const val TIMEOUT = 30
private val cache = mutableMapOf<String, Int>()

/** Reads users. */
interface Repository {
    val size: Int
    suspend fun find(id: String): User?
}

data class User(val id: String, var name: String) {
    fun greeting(): String = "Hello $name"

    companion object {
        const val ROOT = "root"
        fun parse(text: String): User {
            return User(text, text)
        }
    }
}

sealed class Result<out T> {
    data class Ok<T>(val value: T) : Result<T>()
    object Missing : Result<Nothing>()
}

enum class Color(val code: Int) {
    RED(1),
    GREEN(2);

    fun hex() = code.toString(16)
}

object Registry {
    fun register(name: String) {
        cache[name] = 1
    }
}

typealias Handler = (String) -> Unit

@Test
fun String.shout(): String = uppercase()

fun main() {
    println("x".shout())
}
